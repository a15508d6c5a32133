import type { Request, Transcript } from '../transcript/transcript.ts';

/**
 * The same without figures that no call can have had: JSON may say `1e999`, and a writer's mistake −1 tokens.
 * They are as good as not recorded, and would make every sum that they enter useless.
 */
export function withoutOddFigures(draft: Omit<Transcript, 'hash'>): Omit<Transcript, 'hash'> {
  const { reward, cost, requests, ...rest } = draft;
  if (isNumber(reward) && isCount(cost) && requests.every(hasPlainFigures)) return draft;
  return {
    ...rest,
    ...(reward === undefined || !isNumber(reward) ? {} : { reward }),
    ...(cost === undefined || !isCount(cost) ? {} : { cost }),
    requests: requests.map((request) => (hasPlainFigures(request) ? request : plain(request))),
  };
}

function hasPlainFigures({ usage, cost, time }: Request): boolean {
  if (!isCount(cost) || !isNumber(time)) return false;
  return usage === undefined || Object.values(usage).every(isCount);
}

function plain({ messages, usage, cost, time, ...rest }: Request): Request {
  const counts = Object.entries(usage ?? {}).filter(([, count]) => isCount(count));
  return {
    ...rest,
    messages,
    ...(time === undefined || !isNumber(time) ? {} : { time }),
    ...(counts.length === 0 ? {} : { usage: Object.fromEntries(counts) }),
    ...(cost === undefined || !isCount(cost) ? {} : { cost }),
  };
}

function isNumber(value: number | undefined): boolean {
  return value === undefined || Number.isFinite(value);
}

function isCount(value: number | undefined): boolean {
  return value === undefined || (Number.isFinite(value) && value >= 0);
}
