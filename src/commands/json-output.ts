import { visibleLines } from '../text/visible.ts';

/**
 * A value as the text of `--json`, indented. What is somebody else's in it (file names, tasks, messages) may
 * hold what acts on a terminal or is not seen: that stands as escapes, which a reader of JSON takes back.
 */
export function jsonOutput(value: unknown): string {
  return visibleLines(JSON.stringify(value, null, 2));
}
