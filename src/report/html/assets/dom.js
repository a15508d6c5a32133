/** Elements from data. Every text becomes a text node, never markup. */

export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children.flat(9).filter((child) => child !== undefined && child !== null));
  return element;
}

export function makeSvg(name, properties, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(properties)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

export const byId = (id) => document.getElementById(id);

/** The text with what was searched for marked in it. */
export function marked(text, wanted) {
  if (wanted === '') return [text];
  const parts = [];
  const lower = text.toLowerCase();
  let from = 0;
  // Where lower case has another length, places would not fit.
  const most = lower.length === text.length ? 500 : 0;
  for (let count = 0; count < most; count++) {
    const at = lower.indexOf(wanted, from);
    if (at < 0) break;
    parts.push(text.slice(from, at), make('mark', {}, text.slice(at, at + wanted.length)));
    from = at + wanted.length;
  }
  return [...parts, text.slice(from)];
}

/** Sorts the rows of a table by a column; figures by size, what was not measured last. */
export function sortTable(table, column, descending) {
  const keyOf = (line) => {
    const cell = line.cells[column];
    const value = cell?.dataset.value ?? cell?.textContent ?? '';
    const number = Number(value.replaceAll(',', '').replace('−', '-'));
    return value.trim() === '' || value === '–' ? null : Number.isNaN(number) ? value : number;
  };
  const lines = [...table.tBodies[0].rows].map((line) => ({ line, key: keyOf(line) }));
  lines.sort((a, b) => compareKeys(a.key, b.key, descending));
  table.tBodies[0].append(...lines.map(({ line }) => line));
}

export function compareKeys(a, b, descending) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order =
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a).localeCompare(String(b), 'en', { numeric: true });
  return descending ? -order : order;
}
