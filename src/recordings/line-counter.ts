/**
 * Lines of offsets in a text, from 1. Offsets that are asked for in order cost one pass over the text, and
 * not one each.
 */
export class LineCounter {
  readonly #text: string;
  #line = 1;
  /** Where the line begins, and where its end is; past every offset for the last line. */
  #start = 0;
  #end: number;

  constructor(text: string) {
    this.#text = text;
    this.#end = this.#endFrom(0);
  }

  lineOf(offset: number): number {
    if (offset < this.#start) {
      this.#line = 1;
      this.#start = 0;
      this.#end = this.#endFrom(0);
    }
    while (this.#end < offset) {
      this.#line++;
      this.#start = this.#end + 1;
      this.#end = this.#endFrom(this.#start);
    }
    return this.#line;
  }

  #endFrom(start: number): number {
    const end = this.#text.indexOf('\n', start);
    return end < 0 ? Number.POSITIVE_INFINITY : end;
  }
}
