import { expect, test } from 'vitest';
import { asInvoked } from '../../src/commands/as-invoked.ts';

test.each([
  ['npm run report', 'npx compaction-harness report'],
  ['next: npm run sweep -- --config a', 'next: npx compaction-harness sweep --config a'],
  ['(npm run import-rewards -- --help)', '(npx compaction-harness import-rewards --help)'],
  ['npm run <command> [options]', 'npx compaction-harness <command> [options]'],
  ['a\nnpm run gate -- --update', 'a\nnpx compaction-harness gate --update'],
  ['pnpm run gate', 'pnpm run gate'],
])('%s', (text, expected) => {
  expect(asInvoked(text, true)).toBe(expected);
  expect(asInvoked(text, false)).toBe(text);
});
