/** What the page is made of: rows, and blocks of before and after that are read when a cell is opened. */

const read = (id) => JSON.parse(document.getElementById(id)?.textContent ?? 'null');

const rowsData = read('rows-data');
export const columns = rowsData.columns;
export const rows = rowsData.rows.map(([block, ...values], index) => ({ index, block, values }));

const places = new Map(columns.map(({ name }, index) => [name, index]));

/** The value of a row in a column; null where it was not measured, or the run has no such column. */
export function valueIn(row, column) {
  const place = places.get(column);
  return place === undefined ? null : (row.values[place] ?? null);
}

/** The last block that was read: neighbours are opened one after another. */
let last = { block: -1, content: null };

/** Before and after of a row's cell, or undefined where the report has left them out. */
export function detailOf(row) {
  if (row.block < 0) return undefined;
  if (last.block !== row.block) {
    last = { block: row.block, content: read(`detail-${row.block}`) };
  }
  const requests = last.content?.cells[row.index];
  return requests === undefined ? undefined : { ...last.content, requests };
}

/** The recorded list of each request, as places among the messages. */
export function listsOf(detail) {
  const lists = [];
  let before = [];
  for (const [shared, ...rest] of detail.lists) {
    before = [...before.slice(0, shared), ...rest];
    lists.push(before);
  }
  return lists;
}

/** The changes of one request, message by message: fate, place in the recorded list, both messages. */
export function changesOf(detail, list, runs) {
  const messageAt = (place) => {
    const [role, tokens, blocks] = detail.messages[place];
    return {
      role,
      tokens,
      blocks: blocks.map(([kind, text]) => ({ kind, text: detail.texts[text] })),
    };
  };
  return runs.flatMap(([fate, first, second]) => {
    if (fate === 'i') return [{ fate, after: messageAt(first) }];
    if (fate === 'r') {
      return [{ fate, index: first, before: messageAt(list[first]), after: messageAt(second) }];
    }
    return Array.from({ length: second }, (_, offset) => ({
      fate,
      index: first + offset,
      before: messageAt(list[first + offset]),
    }));
  });
}

/** Digits behind the point of figures that are no counts. */
const DIGITS = { '%': 1, USD: 4, s: 3, ms: 3 };

/** `1234567` as `1,234,567`; percentages, dollars and times with as many digits each time. */
export function spelled(value, unit = '') {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'number') return String(value);
  const digits = DIGITS[unit] ?? (Number.isInteger(value) ? 0 : 2);
  const text = Math.abs(value).toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return value < 0 ? `−${text}` : text;
}
