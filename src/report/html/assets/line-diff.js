/** Largest table of pairs of lines that is filled; beyond it a part is shown as replaced. */
const LARGEST = 2_000_000;
const CONTEXT = 3;

/** Lines of two texts as `{kind, text}`: same, removed, added; far from a change they are folded. */
export function diffText(before, after) {
  return folded(diffLines(before.split('\n'), after.split('\n')));
}

function diffLines(before, after) {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const lines = (kind, texts) => texts.map((text) => ({ kind, text }));
  return [
    ...lines('same', before.slice(0, head)),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...lines('same', before.slice(before.length - tail)),
  ];
}

function middle(before, after) {
  const width = after.length + 1;
  if (before.length * after.length > LARGEST) {
    return [
      ...before.map((text) => ({ kind: 'removed', text })),
      ...after.map((text) => ({ kind: 'added', text })),
    ];
  }
  const table = new Uint32Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      table[row * width + column] =
        before[row] === after[column]
          ? table[(row + 1) * width + column + 1] + 1
          : Math.max(table[(row + 1) * width + column], table[row * width + column + 1]);
    }
  }
  const lines = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    if (row < before.length && column < after.length && before[row] === after[column]) {
      lines.push({ kind: 'same', text: before[row++] });
      column++;
    } else if (
      row < before.length &&
      (column >= after.length ||
        table[(row + 1) * width + column] >= table[row * width + column + 1])
    ) {
      lines.push({ kind: 'removed', text: before[row++] });
    } else {
      lines.push({ kind: 'added', text: after[column++] });
    }
  }
  return lines;
}

function folded(lines) {
  const near = lines.map(() => false);
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    for (let at = index - CONTEXT; at <= index + CONTEXT; at++) {
      if (at >= 0 && at < lines.length) near[at] = true;
    }
  }
  const parts = [];
  let hidden = 0;
  const close = () => {
    if (hidden > 0) parts.push({ kind: 'folded', text: `⋯ ${hidden} unchanged lines ⋯` });
    hidden = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (!near[index]) {
      hidden++;
      continue;
    }
    close();
    parts.push(line);
  }
  close();
  return parts;
}
