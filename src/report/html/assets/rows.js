import { columns, rows, spelled, valueIn } from './data.js';
import { byId, compareKeys, make } from './dom.js';

/** Columns that a reader wants first, in this order. */
const MAIN = [
  'task',
  'config',
  'gw_requests',
  'gw_before',
  'gw_after',
  'gw_pct',
  'net_saved',
  'fired',
  'evidence_total',
  'evidence_kept',
  'evidence_recoverable',
  'evidence_lost',
  'reward',
  'violations_added',
  'gates',
  'refusals',
  'note',
];

/** Cells that are often looked for. */
const STATES = [
  ['fired', 'rewrote something', [['fired', '>', '0']]],
  ['idle', 'rewrote nothing', [['fired', '=', '0']]],
  ['lost', 'lost evidence', [['evidence_lost', '>', '0']]],
  ['behind', 'evidence behind markers', [['evidence_recoverable', '>', '0']]],
  ['broken', 'broke a rule', [['violations_added', '>', '0']]],
  ['failed', 'failed', [['note', '~', 'error']]],
];

/** Rows that are shown at first, and with each press of the button. */
const PAGE = matchMedia('(max-width: 760px)').matches ? 25 : 100;
const state = { conditions: [], sort: null, descending: false, shown: PAGE };

const field = (name) => byId(`rows-${name}`);

/** `#rows?config%3Dcg-mask&fired%3E0` → conditions; undefined of another hash. */
export function conditionsOf(hash) {
  const match = /^#rows(?:\?(.*))?$/.exec(hash);
  if (match === null) return undefined;
  return (match[1] ?? '')
    .split('&')
    .map((part) => {
      let text = '';
      try {
        text = decodeURIComponent(part);
      } catch {
        return null;
      }
      return /^([a-z0-9_]+)([=<>~])(.*)$/s.exec(text)?.slice(1) ?? null;
    })
    .filter((condition) => condition !== null);
}

function meets(row, [column, compare, wanted]) {
  const value = valueIn(row, column);
  switch (compare) {
    case '=':
      return String(value ?? '') === wanted;
    case '>':
      return value !== null && Number(value) > Number(wanted);
    case '<':
      return value !== null && Number(value) < Number(wanted);
    default:
      return value !== null && `;${value}`.includes(wanted);
  }
}

/** Conditions on one column by `=` are alternatives, all others must be met. */
function meetsAll(row, conditions) {
  const alternatives = new Map();
  for (const condition of conditions) {
    if (condition[1] !== '=') {
      if (!meets(row, condition)) return false;
    } else {
      alternatives.set(
        condition[0],
        alternatives.get(condition[0]) === true || meets(row, condition),
      );
    }
  }
  return [...alternatives.values()].every((isMet) => isMet);
}

function filtered() {
  const search = field('search').value.trim().toLowerCase();
  const chosen = [
    ...(field('config').value === '' ? [] : [['config', '=', field('config').value]]),
    ...(field('task').value === '' ? [] : [['task', '=', field('task').value]]),
  ];
  const special = STATES.find(([name]) => name === field('state').value)?.[2] ?? [];
  const found = rows.filter(
    (row) =>
      meetsAll(row, chosen) &&
      meetsAll(row, special) &&
      meetsAll(row, state.conditions) &&
      (search === '' ||
        row.values.some(
          (value) => typeof value === 'string' && value.toLowerCase().includes(search),
        )),
  );
  if (state.sort === null) return found;
  return found.toSorted((a, b) =>
    compareKeys(valueIn(a, state.sort), valueIn(b, state.sort), state.descending),
  );
}

function shownColumns() {
  const known = new Map(columns.map((column) => [column.name, column]));
  const group = field('columns').value;
  if (group === '') return MAIN.flatMap((name) => known.get(name) ?? []);
  const first = ['task', 'config'].flatMap((name) => known.get(name) ?? []);
  const rest = columns.filter((column) => group === 'all' || column.group === group);
  return [...first, ...rest.filter(({ name }) => name !== 'task' && name !== 'config')];
}

function renderRows() {
  const table = field('table');
  const shown = shownColumns();
  const found = filtered();
  table.tHead.replaceChildren(
    make(
      'tr',
      {},
      shown.map(({ name, about, type }) =>
        make(
          'th',
          {
            scope: 'col',
            class: type === 'number' ? undefined : 'left',
            'aria-sort':
              state.sort === name ? (state.descending ? 'descending' : 'ascending') : undefined,
          },
          make(
            'button',
            { type: 'button', class: 'sort', title: about, onclick: () => sortBy(name, type) },
            name,
          ),
        ),
      ),
    ),
  );
  table.tBodies[0].replaceChildren(
    ...found.slice(0, state.shown).map((row) =>
      make(
        'tr',
        {},
        shown.map((column) => tableCell(row, column)),
      ),
    ),
  );
  const count =
    found.length === rows.length
      ? `${spelled(rows.length)} cells`
      : `${spelled(found.length)} of ${spelled(rows.length)} cells`;
  field('count').textContent = `${count}. A task opens its cell.`;
  field('more').hidden = found.length <= state.shown;
  field('more').textContent = `Show ${spelled(Math.min(PAGE, found.length - state.shown))} more`;
  renderConditions();
}

function tableCell(row, { name, type, unit }) {
  const value = valueIn(row, name);
  if (name === 'task') {
    return make('th', { scope: 'row' }, make('a', { href: `#cell?${row.index}` }, String(value)));
  }
  const text = spelled(value, unit);
  return make(
    'td',
    { class: type === 'number' ? undefined : 'text', title: text.length > 40 ? text : undefined },
    text,
  );
}

function sortBy(name, type) {
  const isSame = state.sort === name;
  state.descending = isSame ? !state.descending : type === 'number';
  state.sort = name;
  renderRows();
  const at = shownColumns().findIndex((column) => column.name === name);
  field('table').tHead.rows[0]?.cells[at]?.querySelector('button')?.focus();
}

function renderConditions() {
  field('conditions').replaceChildren(
    ...state.conditions.map((condition) =>
      make(
        'button',
        {
          type: 'button',
          class: 'plain',
          title: 'Remove this filter',
          onclick: () => {
            state.conditions = state.conditions.filter((one) => one !== condition);
            changed();
          },
        },
        `${condition[0]} ${condition[1] === '~' ? 'has' : condition[1]} ${condition[2]} ×`,
      ),
    ),
  );
}

function changed() {
  state.shown = PAGE;
  renderRows();
}

/** Shows the rows that meet the conditions, and no other filter. */
export function showRows(conditions) {
  for (const name of ['search', 'config', 'task', 'state']) field(name).value = '';
  state.conditions = conditions;
  changed();
}

export function startRows() {
  const fill = (name, values) => {
    for (const [value, label] of values) field(name).append(make('option', { value }, label));
  };
  const distinct = (column) =>
    [...new Set(rows.map((row) => valueIn(row, column)))].map((one) => [one, one]);
  fill('config', distinct('config'));
  fill('task', distinct('task'));
  fill('state', STATES);
  const groups = [...new Set(columns.map(({ group }) => group))];
  fill('columns', [...groups.map((group) => [group, group]), ['all', 'all columns']]);
  for (const name of ['config', 'task', 'state', 'columns']) {
    field(name).addEventListener('change', changed);
  }
  field('search').addEventListener('input', changed);
  field('clear').addEventListener('click', () => showRows([]));
  field('more').addEventListener('click', () => {
    state.shown += PAGE;
    renderRows();
  });
  renderRows();
}
