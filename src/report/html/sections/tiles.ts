import { oneDecimal, thousands, UNMEASURED } from '../../numbers.ts';
import { controlledBy } from '../../results/controls.ts';
import { rowsLink } from '../links.ts';
import { type Child, element, type Markup } from '../markup.ts';
import type { ReportInput } from '../report-input.ts';

/** The few figures that stand over the headline table. */
export function tiles({ rows, totals, baseline, comparison }: ReportInput): Markup {
  const failed = rows.filter(({ note }) => note !== 'ok').length;
  const recordings = new Set(
    rows.map(({ task, trial, lineage }) => JSON.stringify([task, trial, lineage])),
  );
  const broken = totals.reduce((sum, { violationsAdded = 0 }) => sum + violationsAdded, 0);
  const best = totals
    .filter(({ frontier, config }) => frontier && controlledBy(config) === undefined)
    .toSorted((a, b) => b.net - a.net)[0];
  const tried = comparison.configs.filter(({ config }) => config !== baseline).length;
  return element(
    'div',
    { class: 'tiles' },
    tile('Cells', rowsLink([], thousands(rows.length)), [
      `${counted(recordings.size, 'recording')} × ${counted(tried + 1, 'config')}`,
      failed === 0
        ? undefined
        : element(
            'span',
            { class: 'bad' },
            rowsLink([['note', '~', 'error']], `, ${failed} failed`),
          ),
    ]),
    best === undefined
      ? tile('Saves most', UNMEASURED, ['no config rewrote anything'])
      : tile(
          'Saves most, on the frontier',
          rowsLink([['config', '=', best.config]], thousands(best.net)),
          [`net tokens, ${best.config}`],
        ),
    best === undefined
      ? undefined
      : tile(
          'And keeps',
          rowsLink(
            [
              ['config', '=', best.config],
              ['evidence_total', '>', 0],
            ],
            `${oneDecimal(best.evidenceKeptPercent)} %`,
          ),
          [
            `of the evidence; ${oneDecimal(best.evidenceRecoverablePercent)} % behind markers, ${oneDecimal(best.evidenceLostPercent)} % lost`,
          ],
        ),
    tile('Rules broken', rowsLink([['violations_added', '>', 0]], thousands(broken)), [
      broken === 0 ? 'every rewritten request can be sent' : 'in requests that would be sent',
    ]),
  );
}

function counted(count: number, name: string): string {
  return `${thousands(count)} ${name}${count === 1 ? '' : 's'}`;
}

function tile(label: string, value: Child, about: readonly Child[]): Markup {
  return element(
    'div',
    { class: 'tile' },
    element('div', { class: 'label' }, label),
    element('div', { class: 'value' }, value),
    element('div', { class: 'about' }, about),
  );
}
