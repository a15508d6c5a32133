import { describe, expect, test } from 'vitest';
import { readAudit } from './advisories.ts';

const report = (vulnerabilities: object) =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities,
    metadata: { dependencies: { total: 158 } },
  });

describe('what npm audit says', () => {
  test('nothing found', () => {
    expect(readAudit(report({}), 'moderate')).toEqual({ kind: 'clean', packages: 158 });
  });

  test('a vulnerability counts from the level on, and is named', () => {
    const via = ['other', { title: 'Prototype pollution', severity: 'high' }];
    const found = (severity: string) => report({ yaml: { severity, range: '<2', via } });
    const named = { kind: 'vulnerable', lines: ['yaml <2: high: Prototype pollution'] };
    expect(readAudit(found('high'), 'moderate')).toEqual(named);
    expect(readAudit(found('moderate'), 'moderate').kind).toBe('vulnerable');
    expect(readAudit(found('low'), 'moderate').kind).toBe('clean');
  });

  test.each([
    [
      'a registry without advisories',
      '{"statusCode": 405, "message": "405 Not Allowed - POST https://user:key@host/x"}',
      '405 Not Allowed - POST the registry',
    ],
    [
      'no network',
      '{"message": "request to https://host/x failed, reason: ENOTFOUND", "error": {}}',
      'request to the registry failed, reason: ENOTFOUND',
    ],
    ['no output', '', 'npm audit printed no JSON'],
    ['another form', '{"auditReportVersion": 2}', 'an answer of another form'],
  ])('%s is no audit, and not a clean one', (_, output, reason) => {
    expect(readAudit(output, 'moderate')).toEqual({ kind: 'unanswered', reason });
  });
});
