import type { ProgramPrompt } from './program-prompt.ts';
import { type Choice, LEAST_SHARE, MOST_LINES } from './program-signs.ts';

/** A JavaScript program over INPUT that chooses lines. */
export function javascriptLines({ keep, terms }: ProgramPrompt, choice: Choice): string {
  const { signs, after, head, tail, leftOut } = choice;
  return `const names = ${JSON.stringify(keep)};
const signs = ${JSON.stringify([...signs, ...terms])};
const lines = INPUT.split('\\n');
const kept = new Set();
for (const name of names) {
  const holding = [];
  lines.forEach((line, at) => { if (line.includes(name)) holding.push(at); });
  const some = holding.length > ${MOST_LINES} ? [...holding.slice(0, ${MOST_LINES - 1}), holding[holding.length - 1]] : holding;
  for (const at of some) kept.add(at);
}
lines.forEach((line, at) => {
  if (at < ${head} || at >= lines.length - ${tail}) kept.add(at);
  if (!signs.some((sign) => line.includes(sign))) return;
  for (let next = at; next <= at + ${after} && next < lines.length; next++) kept.add(next);
});
let size = 0;
for (const at of kept) size += lines[at].length + 1;
for (let at = 0; at < lines.length && size < ${LEAST_SHARE} * INPUT.length; at++) {
  if (kept.has(at)) continue;
  kept.add(at);
  size += lines[at].length + 1;
}
OUTPUT = lines.filter((line, at) => kept.has(at)).join('\\n');
SUMMARY = \`\${lines.length - kept.size} of \${lines.length} lines left out: ${leftOut}\`;
`;
}

/** A JavaScript program that leaves list items out of a JSON value. */
export function javascriptJson({ keep, terms }: ProgramPrompt, blind: boolean): string {
  return `const wanted = ${JSON.stringify(blind ? [] : [...keep, ...terms])};
let dropped = 0;
function pruned(value) {
  if (Array.isArray(value)) {
    const least = ${LEAST_SHARE} * JSON.stringify(value).length;
    let size = 0;
    const kept = value.filter((item, at) => {
      const text = JSON.stringify(item);
      const stays = at === 0 || size < least || wanted.some((name) => text.includes(name));
      if (stays) size += text.length;
      return stays || value.length < 4;
    });
    dropped += value.length - kept.length;
    return kept.map(pruned);
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, pruned(inner)]));
}
OUTPUT = JSON.stringify(pruned(JSON.parse(INPUT)));
SUMMARY = \`\${dropped} items left out\`;
`;
}

/** The first look of an exploration. */
export const JAVASCRIPT_LOOK = `const shown = INPUT.split('\\n').slice(0, 40);
print(shown.join('\\n'));
`;
