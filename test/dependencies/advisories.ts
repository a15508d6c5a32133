import { z } from 'zod';

/** What `npm audit --json` said. */
export type Audit =
  | { readonly kind: 'clean'; readonly packages: number }
  | { readonly kind: 'vulnerable'; readonly lines: readonly string[] }
  /** The registry gave no answer about advisories: offline, or it keeps none. */
  | { readonly kind: 'unanswered'; readonly reason: string };

const SEVERITIES = ['info', 'low', 'moderate', 'high', 'critical'] as const;
type Severity = (typeof SEVERITIES)[number];

const report = z.looseObject({
  auditReportVersion: z.number(),
  vulnerabilities: z.record(
    z.string(),
    z.looseObject({
      severity: z.enum(SEVERITIES),
      range: z.string().optional(),
      via: z.array(z.unknown()).optional(),
    }),
  ),
  metadata: z.looseObject({ dependencies: z.looseObject({ total: z.number() }) }),
});
const failure = z.looseObject({ message: z.string().optional() });
const advisory = z.looseObject({ title: z.string() });

/** Reads the output of `npm audit --json`; what is less severe than `level` is left out. */
export function readAudit(output: string, level: Severity): Audit {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch {
    return { kind: 'unanswered', reason: 'npm audit printed no JSON' };
  }
  const read = report.safeParse(value);
  if (!read.success) {
    const { message = 'an answer of another form' } = failure.safeParse(value).data ?? {};
    // The registry's address may hold a key.
    const reason = message.replace(/\bhttps?:\/\/\S+/g, 'the registry');
    return { kind: 'unanswered', reason };
  }
  const { vulnerabilities, metadata } = read.data;
  const least = SEVERITIES.indexOf(level);
  const lines = Object.entries(vulnerabilities).flatMap(
    ([name, { severity, range = '', via = [] }]) => {
      if (SEVERITIES.indexOf(severity) < least) return [];
      const titles = via.flatMap((one) => advisory.safeParse(one).data?.title ?? []);
      return `${name} ${range}: ${severity}${titles.length === 0 ? '' : `: ${titles.join('; ')}`}`;
    },
  );
  return lines.length === 0
    ? { kind: 'clean', packages: metadata.dependencies.total }
    : { kind: 'vulnerable', lines };
}
