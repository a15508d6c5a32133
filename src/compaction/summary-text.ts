import type { MarkerMode } from './marker-mode.ts';
import { markerOf, SENTINEL, type StashKey } from './stash.ts';

/** The text that takes the place of a span: our heading, the summary between tags, then the marker. */
export function summaryText(summary: string, mode: MarkerMode, key: StashKey | undefined): string {
  const lines = [
    '=== History Summary ===',
    'Earlier messages of this conversation were replaced by this summary of them.',
    '<summary>',
    summary,
    '</summary>',
  ];
  if (key !== undefined) lines.push(markerOf(key));
  else if (mode === 'summary') lines.push(SENTINEL);
  return lines.join('\n');
}

/**
 * A model's reply as it may stand between the tags, or '' when it says nothing: without control
 * characters, without the tags, heading or role that a model likes to put around its answer, and with
 * nothing in it that could be taken for a tag or a marker of ours.
 */
export function cleanSummary(reply: string): string {
  const text = reply
    .toWellFormed()
    .replace(CONTROL, '')
    .replace(MARKERS, '')
    .replace(TAGS, '')
    .replace(HEADING, '')
    .trim()
    .replace(ROLE_HEADER, '')
    // What was taken out may have left new ones, so what still looks like one is unmade, not removed.
    .replace(LOOKALIKE, '‹')
    .trim();
  return SAYS_SOMETHING.test(text) ? text : '';
}

/** All but tab and line feed. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
const MARKERS = /<<cg:[^<>]*>>/g;
const TAGS = /<\s*\/?\s*summary\s*>/gi;
const HEADING = /^=== History Summary ===$/gm;
const ROLE_HEADER = /^(?:\[\d+\] )?(?:assistant|user|human|system|tool result) ?:\s*/i;
const LOOKALIKE = /<(?=<cg:|\s*\/?\s*summary\b)/gi;
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;
