import { setFlagsFromString } from 'node:v8';

/** Bytes or characters from which on a session decides how much memory the process takes. */
const LARGE = 8_000_000;
/** Percent that the heap may grow over what was alive in it at its last collection. */
const GROWTH = 25;
/**
 * V8 decides by itself for up to 300 %, and once took what was just being let go for alive: a sweep of small
 * transcripts, of which 60 MB are alive, then reached 800 MB.
 */
const USUAL = 150;

let latest: number | undefined;

/**
 * Has the heap collected early while sessions of `size` bytes are read and measured together, if that is much: a
 * large one takes two thirds of the memory then, for a few percent more time. With those of usual size, of which
 * little is alive at once, it would take a quarter more. The flag is the process's, with all its threads; a V8
 * that does not know it says so and goes on.
 */
export function limitHeapGrowth(size: number): void {
  const percent = size < LARGE ? USUAL : GROWTH;
  if (percent === latest) return;
  latest = percent;
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
