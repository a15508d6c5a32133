import { HarnessError, nearestName } from '../../errors.ts';
import { diffLines, foldSame } from '../../text/line-diff.ts';
import { wrapWidth } from '../../text/width.ts';
import type { Block } from '../../transcript/message.ts';
import { thousands } from '../numbers.ts';
import { blockText } from './block-text.ts';
import { escaped, labelled, PAGE_WIDTH, type PageStyle } from './lines.ts';
import { labelOf } from './request-page.ts';
import type { CountedChange, RequestView } from './request-view.ts';

/** Lines of the terminal that one line of a text takes at most. */
const LONGEST = 8;

/** Blocks of one message, before and after. */
export interface BlockChange {
  readonly block: number;
  readonly kind: Block['kind'];
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * What `--block` names: `M` or `M.B`, M as the page of the request calls the message (`+M`: inserted), B the
 * block's index. Throws HarnessError `usage` for what is not there.
 */
export function blocksNamed(
  name: string,
  { changes, index }: RequestView,
): { readonly change: CountedChange; readonly blocks: readonly BlockChange[] } {
  const [, label = '', block] = /^(\+?\d+)(?:\.(\d+))?$/.exec(name) ?? [];
  const labels = changes.map(labelOf);
  const change = changes[labels.indexOf(label)];
  if (change === undefined) {
    const inserted = labels.filter((one) => one.startsWith('+'));
    const recorded = changes.length - inserted.length;
    const more =
      inserted.length === 0 ? '' : ` or an inserted one (${inserted.slice(0, 5).join(', ')})`;
    const nearest = nearestName(name, inserted);
    const hint = nearest === undefined || nearest === label ? '' : `; did you mean ${nearest}?`;
    const message = `--block is '${name}', expected M or M.B with a message of request ${index}, 0 to ${recorded - 1}${more}${hint}`;
    throw new HarnessError('usage', message);
  }
  const blocks = blockChanges(change);
  if (block === undefined) return { change, blocks };
  const wanted = blocks.filter((one) => one.block === Number(block));
  if (wanted.length > 0) return { change, blocks: wanted };
  const message = `--block is '${name}', and message ${label} has ${blocks.length} blocks: expected ${label}.0 to ${label}.${blocks.length - 1}`;
  throw new HarnessError('usage', message);
}

function blockChanges({ before, after }: CountedChange): BlockChange[] {
  const old = before?.message.blocks ?? [];
  const young = after?.message.blocks ?? [];
  return Array.from({ length: Math.max(old.length, young.length) }, (_, block) => {
    const [left, right] = [old[block], young[block]];
    return {
      block,
      kind: (left ?? right)?.kind ?? 'other',
      before: left && blockText(left),
      after: right && blockText(right),
    };
  });
}

/** The blocks line by line: `-` left out, `+` put in, unchanged lines folded. */
export function blockPage(
  { change, blocks }: ReturnType<typeof blocksNamed>,
  style: PageStyle,
): string[] {
  const role = (change.before ?? change.after)?.message.role ?? '';
  const tokens = [change.tokensBefore, change.tokensAfter]
    .map((count) => (count === undefined ? 'none' : thousands(count)))
    .join(' → ');
  const lines = labelled(
    'Message',
    `${labelOf(change)}, ${role}, ${change.fate}, tokens ${tokens}`,
    style,
  );
  for (const { block, kind, before, after } of blocks) {
    lines.push('', style.paint.bold(`block ${block}: ${kind}`));
    for (const line of blockLines(before, after, style)) lines.push(line);
  }
  return lines;
}

function blockLines(
  before: string | undefined,
  after: string | undefined,
  style: PageStyle,
): string[] {
  const { paint } = style;
  const linesOf = (text: string) => style.redact(text).split('\n');
  // Of what has no partner the whole text is wanted: what was dropped, and what a summary says.
  const parts =
    before === undefined || after === undefined
      ? linesOf(before ?? after ?? '').map((text) => ({
          kind: before === undefined ? ('added' as const) : ('removed' as const),
          text,
        }))
      : before === after
        ? linesOf(before).map((text) => ({ kind: 'same' as const, text }))
        : foldSame(diffLines(linesOf(before), linesOf(after)));
  return parts.flatMap((part) => {
    switch (part.kind) {
      case 'folded':
        return [paint.dim(`  … ${thousands(part.lines)} unchanged lines`)];
      case 'removed':
        return wrapped('- ', part.text).map(paint.red);
      case 'added':
        return wrapped('+ ', part.text).map(paint.green);
      default:
        return wrapped('  ', part.text);
    }
  });
}

/** A line of a text under its sign; of a very long one the beginning, and how much is left out. */
function wrapped(sign: string, text: string): string[] {
  const limit = (PAGE_WIDTH - 2) * LONGEST;
  const shown = escaped(text.slice(0, limit));
  const pieces = wrapWidth(shown, PAGE_WIDTH - 2);
  const kept = pieces.slice(0, LONGEST);
  const lines = kept.map((piece, index) => `${index === 0 ? sign : '  '}${piece}`.trimEnd());
  if (text.length > limit || pieces.length > LONGEST) {
    lines.push(`  … a line of ${thousands(text.length)} characters; --json has all of it`);
  }
  return lines;
}
