/** Number and order of cache marks over tools, system prompt and list: A-CACHE-1 and A-CACHE-3. */
import type { ShapeContext } from '../../context.ts';
import { isObject, objectsOf } from '../../json-values.ts';
import type { ListRule } from '../../rule.ts';
import { type AnthropicFacts, cacheMarks, KIND, type Lifetime } from './facts.ts';
import { described } from './source.ts';

const MOST_MARKS = 4;

/** Marks before the list: on tools, then on the system prompt, in the order of the prompt. */
function marksBefore(context: ShapeContext): readonly Lifetime[] {
  return [...objectsOf(context.tools), ...objectsOf(context.system)].flatMap(cacheMarks);
}

export const cacheMarkRules: readonly ListRule<AnthropicFacts>[] = [
  {
    ...described({
      id: 'A-CACHE-1',
      explanation: 'At most 4 cache marks, counted over tools, system prompt and messages.',
      providerError: 'A maximum of 4 blocks with cache_control may be provided',
      needs: 'list',
      fix: 'Drop the oldest mark in the list.',
      rewriteCanBreak: true,
    }),
    *find(facts, { context, kinds: held }) {
      const automatic = isObject(context.cache_control) ? 1 : 0;
      let count = marksBefore(context).length + automatic + (context.cache_marks ?? 0);
      if (count > MOST_MARKS) {
        yield { message: 0, detail: `more than ${MOST_MARKS} cache marks before the list` };
      }
      if ((held & KIND.mark) === 0) return;
      for (const [message, { blocks, kinds }] of facts.entries()) {
        if ((kinds & KIND.mark) === 0) continue;
        for (const { marks, index } of blocks) {
          if (marks.length === 0) continue;
          const within = count <= MOST_MARKS;
          count += marks.length;
          if (within && count > MOST_MARKS) {
            yield { message, block: index, detail: `more than ${MOST_MARKS} cache marks` };
          }
        }
      }
    },
  },
  {
    ...described({
      id: 'A-CACHE-3',
      explanation: 'No cache mark of one hour stands after one of five minutes.',
      providerError:
        "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
      needs: 'list',
      fix: 'Give the later mark the shorter lifetime, or drop it.',
      rewriteCanBreak: true,
    }),
    *find(facts, { context, kinds: held }) {
      const outside = marksBefore(context);
      const firstShort = outside.indexOf('5m');
      let short = firstShort >= 0;
      if (short && outside.includes('1h', firstShort)) {
        yield { message: 0, detail: "a mark of '1h' after a mark of '5m' before the list" };
      }
      if ((held & KIND.mark) === 0) return;
      for (const [message, { blocks, kinds }] of facts.entries()) {
        if ((kinds & KIND.mark) === 0) continue;
        for (const { marks, index } of blocks) {
          for (const mark of marks) {
            if (mark === '5m') short = true;
            else if (short) {
              yield { message, block: index, detail: "a mark of '1h' after a mark of '5m'" };
            }
          }
        }
      }
    },
  },
];
