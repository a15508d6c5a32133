/**
 * What a server asks to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as an HTTP
 * date, which counts from the server's own `date` where it sends one. Undefined where it asks for nothing
 * that can be read; never below 0.
 */
export function retryAfterOf(
  headers: { get(name: string): string | null },
  now: () => number,
): number | undefined {
  const exact = decimal(headers.get('retry-after-ms'));
  if (exact !== undefined) return Math.ceil(exact);
  const text = headers.get('retry-after');
  const seconds = decimal(text);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  const date = timeOf(text);
  if (date === undefined) return undefined;
  return Math.max(0, Math.ceil(date - (timeOf(headers.get('date')) ?? now())));
}

function decimal(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

/** `Sun, 06 Nov 1994 08:49:37 GMT` and the two older forms; a mere number is no date. */
function timeOf(text: string | null): number | undefined {
  if (text === null || !/[A-Za-z]{3}/.test(text)) return undefined;
  // The form of asctime names no zone, and means GMT.
  const zoned = /(?:GMT|UTC|Z|[+-]\d{4})\s*$/.test(text) ? text : `${text} GMT`;
  const time = Date.parse(zoned);
  return Number.isNaN(time) ? undefined : time;
}
