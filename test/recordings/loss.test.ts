import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addsUp, describeLoss, LossReport } from '../../src/recordings/loss.ts';

const fates = fc.array(
  fc.constantFrom('read', 'merged', 'skipped') as fc.Arbitrary<'read' | 'merged' | 'skipped'>,
);

function told(report: LossReport, records: readonly ('read' | 'merged' | 'skipped')[]): void {
  for (const fate of records) {
    if (fate === 'read') report.read('f');
    else report[fate]('f', 'why');
  }
}

describe('loss report', () => {
  test('property: adds up exactly when each record was told of once', () => {
    fc.assert(
      fc.property(fates, fc.integer({ min: -2, max: 2 }), (records, off) => {
        const report = new LossReport('messages');
        report.found('f', records.length + off, 'lines');
        told(report, records);
        const [file] = report.files();
        expect(file && addsUp(file)).toBe(off === 0);
      }),
    );
  });

  test('property: after reading ended early, what was not told of is skipped', () => {
    fc.assert(
      fc.property(fates, fc.nat(5), (records, left) => {
        const report = new LossReport('messages');
        report.found('f', records.length + left);
        told(report, records);
        report.abandon('ended');
        const [file] = report.files();
        expect(file && addsUp(file)).toBe(true);
        expect(file?.skipped.get('ended') ?? 0).toBe(left);
      }),
    );
  });

  test('says itself in one line', () => {
    const report = new LossReport('messages');
    report.found('f', 4, 'lines');
    report.read('f', 2);
    report.merged('f', 'one response', 1);
    report.skipped('f', 'broken', 1);
    expect(report.files().map(describeLoss)).toEqual([
      '4 lines: 2 read, 1 merged (1 one response), 1 skipped (1 broken)',
    ]);
  });
});
