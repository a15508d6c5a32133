import type { Random } from '../bench/random.ts';
import type { Material } from './material.ts';
import { mutateBytes } from './mutate-bytes.ts';

const ODD_CELLS: readonly [string, ...string[]] = [
  ...([
    '',
    ' ',
    '"',
    '""',
    '"a',
    'a"b',
    "'=1",
    '=1+1',
    '0',
    '-1',
    '1e999',
    'NaN',
    'Infinity',
  ] as const),
  ...[
    'null',
    'true',
    '1.5',
    '12345678901234567890',
    '__proto__',
    'constructor',
    '{}',
    '[1]',
    '{"a":',
  ],
  ...['"a\nb"', '"a,b"', '\u2028', '\u0000', 'a;b', '0x10', '1,000', '100%', ' 1', '"x""y"'],
];

/** Changes the cells of a CSV file as they stand in its lines, quoted or not. */
export function mutateTable(bytes: Buffer, random: Random, material: Material): Buffer {
  const lines = bytes.toString('utf8').split('\n');
  const at = random.below(3) === 0 ? 0 : random.below(lines.length);
  const cells = (lines[at] ?? '').split(',');
  const cell = random.below(cells.length);
  switch (random.below(9)) {
    case 0:
    case 1:
    case 2:
      cells[cell] = random.pick(ODD_CELLS);
      break;
    case 3:
      cells.splice(cell, 1);
      break;
    case 4:
      cells.splice(cell, 0, random.pick(ODD_CELLS));
      break;
    case 5: {
      const other = random.below(cells.length);
      [cells[cell], cells[other]] = [cells[other] ?? '', cells[cell] ?? ''];
      break;
    }
    case 6: {
      // The same column of another row.
      const lent = (lines[random.below(lines.length)] ?? '').split(',');
      cells[cell] = lent[cell] ?? '';
      break;
    }
    case 7: {
      const other = random.below(cells.length);
      const moved = lines.map((line) => {
        const row = line.split(',');
        [row[cell], row[other]] = [row[other] ?? '', row[cell] ?? ''];
        return row.join(',');
      });
      return Buffer.from(moved.join('\n'));
    }
    default:
      return mutateBytes(bytes, random, material);
  }
  lines[at] = cells.join(',');
  return Buffer.from(lines.join('\n'));
}
