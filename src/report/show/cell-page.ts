import { type Cycle, cyclesOf } from '../../replay/cycles.ts';
import { type CellResult, measuredCell } from '../../rows/result.ts';
import { fitWidth } from '../../text/width.ts';
import { thousands, UNMEASURED } from '../numbers.ts';
import { tableLines } from '../table.ts';
import type { ReplayedCell } from './cell.ts';
import { column, labelled, PAGE_WIDTH, type PageStyle, shownLine, tableWithText } from './lines.ts';
import { type MissingEvidence, missingEvidence } from './missing-evidence.ts';
import { heldText, statusPaint, usedText } from './request-page.ts';
import { RequestViews } from './request-view.ts';

/** Rows of missing evidence on the page; `--json` has all. */
const SHOWN_MISSING = 40;

/** The row that a sweep would write of the cell; it has no id and no time. */
export function rowOf({ transcript, config, model, tokenizer, replay }: ReplayedCell): CellResult {
  const labels = { transcript, config, model, tokenizer, sample: 0, cellId: '', wallSeconds: 0 };
  return measuredCell(labels, replay);
}

/** The page of one cell: what the recording is, figures, compaction cycles, evidence that went missing. */
export function cellPage(cell: ReplayedCell, style: PageStyle): string[] {
  const { replay } = cell;
  const views = new RequestViews(cell);
  const missing = missingEvidence(
    replay.requests
      .filter(({ evidence }) => evidence?.used.some(({ status }) => status !== 'kept') === true)
      .map(({ index }) => views.at(index)),
  );
  return [
    ...recordingLines(cell, style),
    ...figureLines(cell, rowOf(cell), style),
    '',
    ...cycleLines(cyclesOf(replay), style),
    '',
    ...missingLines(missing, replay.evidence.evidence.kept, style),
  ];
}

function recordingLines({ transcript, config, model, expand }: ReplayedCell, style: PageStyle) {
  const { task, trial, lineage, source, dialect, agent, requests, retries, reward } = transcript;
  const segments = new Set(requests.map(({ segment }) => segment)).size;
  const facts = [
    `${requests.length} requests (0 to ${requests.length - 1})`,
    ...(segments > 1 ? [`${segments} segments: the agent compacted by itself`] : []),
    ...(retries > 0 ? [`${retries} retries left out`] : []),
    dialect,
    ...(agent === undefined ? [] : [`agent ${agent}`]),
    transcript.model === undefined ? 'model not recorded' : `model ${transcript.model}`,
    reward === undefined ? 'no reward recorded' : `reward ${reward}`,
  ];
  const about = config.about === '' ? '' : `: ${config.about}`;
  return [
    ...labelled('Task', shownLine(`${task}, trial ${trial}, lineage ${lineage}`, style), style),
    ...labelled('Recording', shownLine(`${source.file} (${source.format})`, style), style),
    ...labelled('', shownLine(facts.join(', '), style), style),
    ...labelled('Config', shownLine(`${config.name} (${config.source})${about}`, style), style),
    ...labelled('', `model ${model}, expand ${expand ? 'on' : 'off'}`, style),
  ];
}

function figureLines(cell: ReplayedCell, row: CellResult, style: PageStyle): string[] {
  const figure = (value: number | undefined) =>
    value === undefined ? UNMEASURED : thousands(value);
  const percent = row.percentSaved === undefined ? UNMEASURED : row.percentSaved.toFixed(1);
  const line = (label: string, text: string) => labelled(label, shownLine(text, style), style);
  const { evidence, unknownActions } = cell.replay.evidence;
  const unknown = unknownActions === 0 ? '' : `; ${unknownActions} actions not known`;
  return [
    ...line(
      'Sent',
      `${figure(row.tokensBefore)} → ${figure(row.tokensAfter)} tokens, ${percent} % less; largest request ${figure(row.peakBefore)} → ${figure(row.peakAfter)}`,
    ),
    ...line(
      'Saved',
      `gross ${figure(row.tokensSaved)}, unique ${figure(row.uniqueSaved)}, net ${figure(row.netSaved)} tokens`,
    ),
    ...line(
      'Component',
      `rewrote ${figure(row.fired)} requests: ${figure(row.cycles)} new decisions, ${figure(row.reused)} reused; ${figure(row.modelCalls)} model calls, ${figure(row.modelInputTokens)} tokens in and ${figure(row.modelOutputTokens)} out`,
    ),
    ...line('Left alone', countsText('gate', row.gates)),
    ...line('Refused', countsText('', row.refusals)),
    ...line(
      'Violations',
      `${countsText('', row.violationRules)}; ${figure(row.violationsBefore)} as recorded, ${figure(row.violationsAdded)} added`,
    ),
    ...line(
      'Evidence',
      `${evidence.total} used: ${evidence.kept} kept, ${evidence.recoverable} recoverable, ${evidence.lost} lost (${evidence.mutated} of them changed)${unknown}`,
    ),
    ...line(
      'Actions',
      `${figure(row.actionsWithEvidence)} of ${figure(row.actions)} with evidence: ${figure(row.actionsSupported)} supported, ${figure(row.actionsRecoverable)} recoverable, ${figure(row.actionsLost)} lost`,
    ),
    ...line('Reward', rewardText(row)),
  ];
}

function countsText(word: string, counts: CellResult['gates']): string {
  if (counts === undefined) return 'none';
  const lead = word === '' ? '' : `${word} `;
  return [...counts].map(([name, count]) => `${lead}${name} ×${count}`).join(', ');
}

function rewardText(row: CellResult): string {
  if (row.recordedReward === undefined) return 'none recorded';
  if (row.rewardKind === 'recorded') return `${row.recordedReward} as recorded`;
  return `${row.recordedReward} recorded; grounded ${row.reward ?? UNMEASURED}, with expand at most ${row.rewardWithExpand ?? UNMEASURED}`;
}

function cycleLines(cycles: readonly Cycle[], { paint }: PageStyle): string[] {
  if (cycles.length === 0) return ['No compaction cycle: nothing was rewritten.'];
  const figures = (header: readonly string[], value: (cycle: Cycle) => number) =>
    column(
      header,
      cycles.map((cycle) => thousands(value(cycle))),
    );
  const { header, rows } = tableLines([
    figures(['#'], ({ number }) => number),
    column(['at', 'requests'], cycles.map(rangeText)),
    figures(['tokens', 'due'], ({ expected }) => expected),
    figures(['tokens', 'floor'], ({ floor }) => floor),
    column(
      ['tokens', 'freed'],
      cycles.map(({ freed, isIdle }) => `${thousands(freed)}${isIdle ? ' idle' : ''}`),
    ),
    figures(['nested', 'marks'], ({ nestedMarkers }) => nestedMarkers),
    figures(['used'], ({ evidence }) => evidence.total),
    figures(['kept'], ({ evidence }) => evidence.kept),
    figures(['lost'], ({ evidence }) => evidence.lost),
    figures(['gone', 'later'], ({ evidence }) => evidence.goneLater),
  ]);
  const idle = cycles.filter(({ isIdle }) => isIdle).length;
  const note =
    idle === 0
      ? []
      : [paint.yellow(`${idle} of ${cycles.length} cycles are idle: they freed nothing.`)];
  return [
    paint.bold('Compaction cycles, and the evidence of the actions under each'),
    ...header.map((line) => paint.bold(fitWidth(line, PAGE_WIDTH))),
    ...rows.map((row, index) => {
      const line = fitWidth(row, PAGE_WIDTH);
      return cycles[index]?.isIdle === true ? paint.yellow(line) : line;
    }),
    ...note,
    paint.dim('due: what the decision before would have sent; floor: what was sent;'),
    paint.dim('gone later: an earlier decision still showed what is no longer kept'),
  ];
}

/** `3–6`: the requests that were sent under it. */
function rangeText({ request, requests }: Cycle): string {
  return requests === 1 ? String(request) : `${request}–${request + requests - 1}`;
}

function missingLines(
  missing: readonly MissingEvidence[],
  kept: number,
  style: PageStyle,
): string[] {
  const { paint } = style;
  if (missing.length === 0) {
    return [`No evidence went missing${kept === 0 ? ', since no action uses any' : ''}.`];
  }
  const rows = missing.slice(0, SHOWN_MISSING);
  const requests = new Set(missing.map(({ request }) => request)).size;
  const more = missing.length - rows.length;
  return [
    paint.bold(`Evidence that is not kept: ${missing.length}, used at ${requests} requests`),
    ...tableWithText(
      [
        column(
          ['used at', 'request'],
          rows.map(({ request }) => String(request)),
        ),
        column(
          ['status'],
          rows.map(({ status }) => status),
          'left',
        ),
        column(
          ['gone'],
          rows.map(({ goneLater }) => (goneLater ? 'later' : '')),
          'left',
        ),
        column(['held by', 'message'], rows.map(heldText), 'left'),
      ],
      {
        header: 'tool: identifier',
        cells: rows.map((row) => shownLine(usedText(row), style)),
      },
      style,
      (row) => statusPaint(rows[row]?.status ?? 'kept', paint),
    ),
    ...(more === 0 ? [] : [paint.dim(`… and ${more} more: --json has all`)]),
    paint.dim('before and after of one of these: the same command with --request K'),
  ];
}
