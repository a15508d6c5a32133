import type { Random } from './random.ts';

const syllables = [
  'ba',
  'con',
  'der',
  'el',
  'fi',
  'gra',
  'hen',
  'in',
  'jo',
  'ka',
  'lim',
  'mo',
  'ner',
  'or',
  'pre',
  'qui',
  'ras',
  'sto',
  'ter',
  'un',
  'ver',
  'wil',
  'xan',
  'yo',
  'zer',
  'ash',
  'ble',
  'chi',
  'dron',
  'est',
] as const;

/** A made-up word of two to four syllables. */
function word(random: Random): string {
  let text = '';
  for (let left = 2 + random.below(3); left > 0; left--) text += random.pick(syllables);
  return text;
}

/** A project that a session works on: its words, identifiers and files, so that text repeats as real text does. */
export interface Vocabulary {
  readonly words: readonly [string, ...string[]];
  readonly names: readonly [string, ...string[]];
  readonly files: readonly [string, ...string[]];
}

export function vocabulary(random: Random): Vocabulary {
  const list = (count: number, make: () => string): [string, ...string[]] => [
    make(),
    ...Array.from({ length: count - 1 }, make),
  ];
  const words = list(12_000, () => word(random));
  const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  const names = list(9000, () =>
    random.next() < 0.5
      ? `${random.pick(words)}${capital(random.pick(words))}`
      : `${random.pick(words)}_${random.pick(words)}`,
  );
  const files = list(
    1500,
    () => `src/${random.pick(words)}/${random.pick(words)}_${random.below(90)}.ts`,
  );
  return { words, names, files };
}

export function sentence(random: Random, { words, names, files }: Vocabulary): string {
  const parts: string[] = [];
  for (let left = 6 + random.below(12); left > 0; left--) {
    const kind = random.next();
    parts.push(
      kind < 0.86 ? random.pick(words) : kind < 0.96 ? random.pick(names) : random.pick(files),
    );
  }
  return `${parts.join(' ')}.`;
}

const CODE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** An id as services make them, which is mostly the only one of its kind. */
function code(random: Random): string {
  let text = '';
  for (let left = 12; left > 0; left--) text += CODE[random.below(CODE.length)];
  return text;
}

/**
 * One line of a file, a log or a listing. So many ids that 20 MB are cut into about as many distinct pieces
 * (60,000 of 4 to 4.5 bytes) as the growth of those of the public recordings leads one to expect.
 */
export function outputLine(random: Random, known: Vocabulary): string {
  const { words, names, files } = known;
  const name = () => random.pick(names);
  switch (random.below(5)) {
    case 0:
      return `    const ${name()} = ${name()}(${name()}, '${random.pick(words)}', ${random.below(10_000)});`;
    case 1:
      return `2026-03-${10 + random.below(20)}T${10 + random.below(14)}:${10 + random.below(50)}:0${random.below(10)}Z INFO ${random.pick(words)} ${name()}=${random.below(1e6)} path=${random.pick(files)}`;
    case 2:
      return `${random.pick(files)}:${random.below(900)}:  if (${name()}.${random.pick(words)} !== undefined) return ${name()};`;
    case 3:
      return `  "${name()}": {"id": "${random.next() < 0.4 ? code(random) : random.below(1e9).toString(36)}", "count": ${random.below(5000)}, "kind": "${random.pick(words)}"},`;
    default:
      return `// ${sentence(random, known)}`;
  }
}
