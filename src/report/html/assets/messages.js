import { spelled } from './data.js';
import { make, marked } from './dom.js';
import { diffText } from './line-diff.js';

/** What became of a message, by its letter in the data. */
export const FATES = {
  k: ['kept', 'canonically the same'],
  r: ['rewritten', 'still there with other content'],
  s: ['summarized', 'a summary stands in its place'],
  t: ['stashed', 'left out, behind a visible marker'],
  d: ['dropped', 'left out, behind no marker'],
  i: ['inserted', 'not in the recorded request'],
};
function textOf(message) {
  return message === undefined ? '' : message.blocks.map(({ text }) => text).join('\n');
}

/** Shows the messages that pass the filters. */
export function renderMessages(list, count, changes, filters) {
  const wanted = filters.search.trim().toLowerCase();
  const shown = changes.filter(({ fate, before, after }) => {
    if (filters.fate === 'changed' ? fate === 'k' : filters.fate !== '' && fate !== filters.fate)
      return false;
    if (filters.role !== '' && (before ?? after).role !== filters.role) return false;
    return wanted === '' || `${textOf(before)}\n${textOf(after)}`.toLowerCase().includes(wanted);
  });
  const unchanged = changes.every(({ fate }) => fate === 'k');
  const hint =
    shown.length === 0 && unchanged && filters.fate === 'changed'
      ? '; this request was sent as recorded'
      : '';
  count.textContent = `${spelled(shown.length)} of ${spelled(changes.length)} messages${hint}`;
  list.replaceChildren(...shown.map((change) => messageItem(change, wanted)));
}

function messageItem(change, wanted) {
  const { fate, index, before, after } = change;
  const [name, about] = FATES[fate];
  const message = before ?? after;
  const tokens = [before, after]
    .filter((one) => one !== undefined)
    .map((one) => spelled(one.tokens));
  const peek = textOf(fate === 'r' ? after : message)
    .slice(0, 160)
    .replace(/\s+/g, ' ');
  const place = make('div', {});
  const details = make(
    'details',
    {},
    make(
      'summary',
      {},
      make('span', { class: 'fate', title: about }, name),
      make('span', { class: 'role' }, `${index === undefined ? '+' : `#${index}`} ${message.role}`),
      make('span', { class: 'peek' }, marked(peek, wanted)),
      make('span', { class: 'count' }, `${tokens.join(' → ')} tokens`),
    ),
    place,
  );
  const fill = () => {
    if (details.open && place.childElementCount === 0) place.append(...blocksOf(change, wanted));
  };
  details.addEventListener('toggle', fill);
  if (wanted !== '') details.open = true;
  fill();
  return make('li', { class: `fate-${fate}` }, details);
}

function blocksOf({ before, after }, wanted) {
  const most = Math.max(before?.blocks.length ?? 0, after?.blocks.length ?? 0);
  return Array.from({ length: most }, (_, at) => {
    const [old, young] = [before?.blocks[at], after?.blocks[at]];
    const title = (old ?? young).kind.replace('-', ' ');
    if (old === undefined || young === undefined || old.text === young.text) {
      return blockOf(title, marked((old ?? young).text, wanted));
    }
    const lines = diffText(old.text, young.text).map(({ kind, text }) => {
      const sign = kind === 'added' ? '+ ' : kind === 'removed' ? '− ' : '  ';
      return make('span', { class: `line ${kind}` }, sign, marked(text, wanted));
    });
    return blockOf(title, lines);
  });
}

export function blockOf(title, content) {
  return make(
    'div',
    { class: 'block' },
    make('h4', {}, title),
    make('pre', { tabindex: '0' }, content),
  );
}
