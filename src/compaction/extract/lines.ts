/** A line and how it ends: `\n`, `\r\n`, or nothing at the end of the text. */
export interface Line {
  readonly text: string;
  readonly end: string;
}

/** The lines of a text; their texts and ends joined are the text again. An empty text has no line. */
export function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    if (feed < 0) {
      lines.push({ text: text.slice(start), end: '' });
      break;
    }
    const carriage = feed > start && text.charCodeAt(feed - 1) === 13;
    const stop = carriage ? feed - 1 : feed;
    lines.push({ text: text.slice(start, stop), end: carriage ? '\r\n' : '\n' });
    start = feed + 1;
  }
  return lines;
}
