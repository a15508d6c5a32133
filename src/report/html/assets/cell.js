import { curveOf } from './curve.js';
import { changesOf, columns, detailOf, listsOf, rows, spelled, valueIn } from './data.js';
import { byId, make } from './dom.js';
import { blockOf, FATES, renderMessages } from './messages.js';

const STATUSES = { r: 'behind a marker', m: 'changed', l: 'lost' };

/** The request that a cell opens with: the first that was rewritten. */
function firstChanged(requests) {
  const found = requests.findIndex(({ runs }) => runs.some(([fate]) => fate !== 'k'));
  return Math.max(0, found);
}

/** Fills the dialog with a cell. */
export function renderCell(index, wanted) {
  const row = rows[index];
  const body = byId('cell-body');
  if (row === undefined) {
    byId('cell-title').textContent = 'No such cell in this report';
    body.replaceChildren();
    return;
  }
  byId('cell-title').textContent = `${valueIn(row, 'task')} under ${valueIn(row, 'config')}`;
  const detail = detailOf(row);
  const figures = make(
    'details',
    { class: 'behind' },
    make('summary', {}, 'All figures of the row'),
    figuresOf(row),
  );
  if (detail === undefined) {
    const config = valueIn(row, 'config');
    body.replaceChildren(
      statsOf(row),
      make(
        'p',
        { class: 'note' },
        `Before and after of this cell are not in the report. npm run show -- TASK --config NAME has them: the task is ${valueIn(row, 'task')}, the config ${config}.`,
      ),
      figures,
    );
    return;
  }
  const lists = listsOf(detail);
  const chosen =
    wanted === undefined
      ? firstChanged(detail.requests)
      : Math.min(wanted, detail.requests.length - 1);
  const place = make('div', {});
  const filters = { search: '', fate: 'changed', role: '' };
  const choose = (request) => {
    history.replaceState(null, '', `#cell?${index}&${request}`);
    renderRequest(place, { detail, lists, request, filters, choose });
  };
  body.replaceChildren(statsOf(row), figures, place);
  renderRequest(place, { detail, lists, request: chosen, filters, choose });
}

function statsOf(row) {
  const pair = (name, from, to) => [
    name,
    `${spelled(valueIn(row, from))} → ${spelled(valueIn(row, to))}`,
  ];
  const percent = valueIn(row, 'gw_pct');
  const facts = [
    pair('tokens', 'gw_before', 'gw_after'),
    ['saved', percent === null ? '–' : `${percent.toFixed(1)} %`],
    ['net saved', spelled(valueIn(row, 'net_saved'))],
    [
      'evidence kept',
      `${spelled(valueIn(row, 'evidence_kept'))} of ${spelled(valueIn(row, 'evidence_total'))}`,
    ],
    ['behind markers', spelled(valueIn(row, 'evidence_recoverable'))],
    ['lost', spelled(valueIn(row, 'evidence_lost'))],
    ['reward', `${spelled(valueIn(row, 'recorded_reward'))} → ${spelled(valueIn(row, 'reward'))}`],
    ...(valueIn(row, 'note') === 'ok' ? [] : [['note', valueIn(row, 'note')]]),
  ];
  return make(
    'dl',
    { class: 'stats' },
    facts.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
  );
}

function figuresOf(row) {
  const known = columns.filter(({ name }) => valueIn(row, name) !== null);
  return make(
    'dl',
    { class: 'facts' },
    known.map(({ name, unit, about }) => [
      make('dt', { title: about }, name),
      make('dd', {}, `${spelled(valueIn(row, name), unit)}${unit === '' ? '' : ` ${unit}`}`),
    ]),
  );
}

function renderRequest(place, view) {
  const { detail, lists, request, filters, choose } = view;
  const found = detail.requests[request];
  if (found === undefined) return;
  const changes = changesOf(detail, lists[request] ?? [], found.runs);
  const list = make('ol', { class: 'messages' });
  const count = make('p', { class: 'note', role: 'status' });
  const update = () => renderMessages(list, count, changes, filters);
  const refocus = (id, next) => {
    choose(next);
    byId(id)?.focus();
  };
  const requests = detail.requests;
  const options = requests.map(({ before, after }, index) =>
    make(
      'option',
      { value: index, selected: index === request },
      `${index}: ${spelled(before)} → ${spelled(after)}`,
    ),
  );
  const step = (id, label, next) =>
    make(
      'button',
      {
        type: 'button',
        class: 'plain',
        id,
        disabled: next < 0 || next >= requests.length,
        onclick: () => refocus(id, next),
      },
      label,
    );
  place.replaceChildren(
    curveOf(requests, request, choose),
    make(
      'div',
      { class: 'cell-nav filters' },
      make(
        'label',
        {},
        make('span', {}, 'Request'),
        make(
          'select',
          {
            id: 'cell-request',
            onchange: (event) => refocus('cell-request', Number(event.target.value)),
          },
          options,
        ),
      ),
      step('cell-previous', '← Previous', request - 1),
      step('cell-next', 'Next →', request + 1),
    ),
    stepsOf(detail, found),
    missingOf(detail, found),
    make(
      'div',
      { class: 'filters', role: 'search', 'aria-label': 'Filter the messages' },
      make(
        'label',
        { class: 'grow' },
        make('span', {}, 'Search in messages'),
        inputOf(filters, update),
      ),
      selectOf('cell-fate', 'Messages', filters, 'fate', update, [
        ['', 'all'],
        ['changed', 'changed ones'],
        ...Object.entries(FATES).map(([letter, [name]]) => [letter, name]),
      ]),
      selectOf('cell-role', 'Role', filters, 'role', update, [
        ['', 'every role'],
        ...[...new Set(changes.map(({ before, after }) => (before ?? after).role))].map((role) => [
          role,
          role,
        ]),
      ]),
    ),
    count,
    list,
    actionOf(detail, request),
  );
  update();
}

function inputOf(filters, update) {
  const input = make('input', { type: 'search', id: 'cell-search', autocomplete: 'off' });
  input.value = filters.search;
  input.addEventListener('input', () => {
    filters.search = input.value;
    update();
  });
  return input;
}

function selectOf(id, label, filters, name, update, options) {
  const select = make(
    'select',
    { id },
    options.map(([value, text]) => make('option', { value }, text)),
  );
  select.value = filters[name];
  if (select.selectedIndex < 0) select.value = '';
  filters[name] = select.value;
  select.addEventListener('change', () => {
    filters[name] = select.value;
    update();
  });
  return make('label', {}, make('span', {}, label), select);
}

function stepsOf(detail, { steps, broken = [] }) {
  const lines = steps.map(([component, what]) =>
    make('li', {}, make('code', {}, detail.texts[component]), ` ${detail.texts[what]}`),
  );
  const rules = broken.map((rule) => make('li', { class: 'bad' }, `breaks ${detail.texts[rule]}`));
  if (lines.length + rules.length === 0)
    return make('p', { class: 'note' }, 'No component: sent as recorded.');
  return make('ul', { class: 'steps' }, lines, rules);
}

function missingOf(detail, { evidence, missing = [] }) {
  if (evidence === undefined)
    return make('p', { class: 'note' }, 'It is not known what the agent did with this request.');
  const [total, kept] = evidence;
  const said = `The action used ${total} identifiers of the request; ${kept} are still in front of it.`;
  if (missing.length === 0) return make('p', { class: 'note' }, said);
  const lines = missing.map(([value, status, tools, heldBy, later]) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, make('code', {}, detail.texts[value])),
      make('td', { class: 'text' }, `${STATUSES[status]}${later === 1 ? ', gone later' : ''}`),
      make('td', { class: 'text' }, detail.texts[tools]),
      make('td', { class: 'text' }, heldBy.map((index) => `#${index}`).join(' ')),
    ),
  );
  const head = ['identifier', 'now', 'used by', 'stood in'].map((name) =>
    make('th', { scope: 'col', class: 'left' }, make('span', { class: 'sort' }, name)),
  );
  return make(
    'div',
    {},
    make('p', { class: 'note' }, `${said} Missing:`),
    make(
      'div',
      { class: 'scroll missing', tabindex: '0', role: 'region', 'aria-label': 'Missing evidence' },
      make('table', {}, make('thead', {}, make('tr', {}, head)), make('tbody', {}, lines)),
    ),
  );
}

/** What the agent did next. */
function actionOf(detail, request) {
  const place = detail.actions[request];
  if (place === null || place === undefined) return make('p', { class: 'note' }, '');
  const [, , blocks] = detail.messages[place];
  return make(
    'details',
    { class: 'behind' },
    make('summary', {}, 'What the agent did next'),
    make(
      'div',
      {},
      blocks.map(([kind, text]) => blockOf(kind.replace('-', ' '), [detail.texts[text]])),
    ),
  );
}
