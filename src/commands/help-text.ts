import { wrapWords } from '../report/show/lines.ts';

const WIDTH = 80;

/** Lines of a help, none wider than a terminal: what does not fit goes on under its own beginning. */
export function wrapHelp(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (line.length <= WIDTH) return line;
      // An entry has a name, two spaces or more, and what it is; anything else is a sentence.
      const [start = ''] = /^ *(?:\S+(?: \S+)* {2,})?/.exec(line) ?? [];
      const [first = '', ...more] = wrapWords(line.slice(start.length), WIDTH - start.length);
      return [`${start}${first}`, ...more.map((rest) => `${' '.repeat(start.length)}${rest}`)];
    })
    .join('\n');
}
