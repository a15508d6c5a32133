import { createColors } from 'tinyrainbow';

/** Colours of the terminal output; each leaves the text as it is where colour is off. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
}

const same = (text: string): string => text;

/** No colour at all. */
export const plainPaint: Paint = { bold: same, dim: same, red: same, yellow: same, green: same };

/**
 * Colour on a terminal, unless `NO_COLOR` is set (https://no-color.org), `TERM` is `dumb` or it is a CI
 * log; `FORCE_COLOR` turns it on anywhere.
 */
export function paintFor(
  isTerminal: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): Paint {
  const { NO_COLOR, FORCE_COLOR, TERM, CI } = environment;
  if (isSet(NO_COLOR)) return plainPaint;
  const on = isSet(FORCE_COLOR) && FORCE_COLOR !== '0';
  if (!on && (!isTerminal || TERM === 'dumb' || isSet(CI))) return plainPaint;
  const colors = createColors({ force: true });
  return {
    bold: (text) => colors.bold(text),
    dim: (text) => colors.dim(text),
    red: (text) => colors.red(text),
    yellow: (text) => colors.yellow(text),
    green: (text) => colors.green(text),
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
