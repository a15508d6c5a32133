import { countEvidence } from '../../replay/evidence-totals.ts';
import { thousands, UNMEASURED } from '../numbers.ts';
import type { Paint } from '../paint.ts';
import { messageText } from './block-text.ts';
import type { ReplayedCell } from './cell.ts';
import type { EvidencePlace } from './evidence-places.ts';
import { column, labelled, type PageStyle, shownLine, tableWithText } from './lines.ts';
import type { Fate } from './message-changes.ts';
import { type CountedChange, type RequestView, stepText } from './request-view.ts';

/** Characters of a message that its line is made from; the whole of it has to be looked through for secrets. */
const EXCERPT = 200;

/** The page of one request: figures, components, both lists message by message, the action's evidence. */
export function requestPage(view: RequestView, cell: ReplayedCell, style: PageStyle): string[] {
  const { transcript, config, model } = cell;
  const { replay, index } = view;
  const { tokensBefore, tokensAfter } = replay;
  const names = markerNames(view);
  const title = `request ${index} (0 to ${transcript.requests.length - 1}) of ${transcript.task}`;
  const under = `${config.name}, model ${model}; trial ${transcript.trial}, lineage ${transcript.lineage}`;
  return [
    ...labelled('Request', shownLine(title, style), style),
    ...labelled('Config', shownLine(under, style), style),
    ...labelled('Tokens', tokensText(tokensBefore, tokensAfter), style),
    ...expansionLines(view, style),
    ...replay.steps.flatMap((step, position) => {
      const text = shownLine(`${step.component}: ${stepText(step)}`, style);
      return labelled(position === 0 ? 'Components' : '', text, style);
    }),
    ...(replay.steps.length === 0 ? labelled('Components', 'none', style) : []),
    ...labelled('Violations', violationsText(view), style),
    '',
    ...changesTable(view, names, style),
    '',
    ...markerLines(view, names, style),
    ...actionLines(view, style),
    ...evidenceTable(view.evidence ?? [], names, style),
  ];
}

function tokensText(before: number, after: number): string {
  if (before === after) return `${thousands(before)}, nothing taken away`;
  const share = before === 0 ? '' : ` (${(((before - after) / before) * 100).toFixed(1)} %)`;
  return `${thousands(before)} → ${thousands(after)}, ${thousands(before - after)} less${share}`;
}

function expansionLines({ replay }: RequestView, style: PageStyle): string[] {
  const { expansion } = replay;
  if (expansion === undefined) return [];
  const text = `${expansion.keys.length} markers expanded in ${expansion.rounds} rounds, ${thousands(expansion.tokens)} tokens more`;
  return labelled('Expanded', text, style);
}

function violationsText({ replay }: RequestView): string {
  const { violationsAdded, violationsBefore } = replay;
  const added = violationsAdded.length === 0 ? 'none added' : `added ${violationsAdded.join(', ')}`;
  return violationsBefore === 0 ? added : `${added}; ${violationsBefore} as recorded`;
}

/** `m1`, `m2`, … for the keys that the page names. */
function markerNames(view: RequestView): ReadonlyMap<string, string> {
  const keys = [
    ...view.markers.map(({ key }) => key),
    ...view.changes.flatMap(({ markers }) => markers),
    ...(view.evidence ?? []).flatMap(({ behind }) => behind),
  ];
  return new Map([...new Set(keys)].map((key, position) => [key, `m${position + 1}`]));
}

function changesTable(
  { changes }: RequestView,
  names: ReadonlyMap<string, string>,
  style: PageStyle,
): string[] {
  const tokens = (count: number | undefined) =>
    count === undefined ? UNMEASURED : thousands(count);
  return tableWithText(
    [
      column(['msg'], changes.map(labelOf)),
      column(
        ['role'],
        changes.map(({ before, after }) => (before ?? after)?.message.role ?? ''),
        'left',
      ),
      column(
        ['fate'],
        changes.map(({ fate }) => fate),
        'left',
      ),
      column(
        ['tokens', 'before'],
        changes.map(({ tokensBefore }) => tokens(tokensBefore)),
      ),
      column(
        ['tokens', 'after'],
        changes.map(({ tokensAfter }) => tokens(tokensAfter)),
      ),
      column(
        ['marker'],
        changes.map(({ markers }) => pathText(markers, names)),
        'left',
      ),
    ],
    {
      header: 'text',
      cells: changes.map(({ before, after }) => {
        const message = (before ?? after)?.message;
        const text = message === undefined ? '' : shownLine(messageText(message), style);
        return text.slice(0, EXCERPT);
      }),
    },
    style,
    (row) => fatePaint(changes[row]?.fate ?? 'kept', style.paint),
  );
}

/** Name of a change on the page and for `--block`: the recorded index, or `+` and that of what is sent. */
export function labelOf({ before, after }: CountedChange): string {
  return before === undefined ? `+${after?.index ?? 0}` : String(before.index);
}

function fatePaint(fate: Fate, paint: Paint): (text: string) => string {
  switch (fate) {
    case 'kept':
      return (text) => text;
    case 'rewritten':
      return paint.yellow;
    case 'inserted':
      return paint.green;
    case 'dropped':
      return paint.red;
    default:
      return paint.dim;
  }
}

/** `m1>m4`: expand the first to see the second; more than two names are shortened. */
function pathText(keys: readonly string[], names: ReadonlyMap<string, string>): string {
  const path = keys.map((key) => names.get(key) ?? '?');
  if (path.length <= 2) return path.join('>');
  return `${path[0]}>…>${path.at(-1)}`;
}

function markerLines(
  view: RequestView,
  names: ReadonlyMap<string, string>,
  style: PageStyle,
): string[] {
  if (names.size === 0) return [];
  const sizes = new Map(view.markers.map((marker) => [marker.key, marker]));
  const lines = [...names].map(([key, name]) => {
    const marker = sizes.get(key);
    const what =
      marker === undefined
        ? 'inside of another marker'
        : marker.kind === 'text'
          ? 'one text'
          : `${marker.messages} messages`;
    return `  ${name.padEnd(5)} <<cg:${key}>>  ${what}`;
  });
  return [style.paint.bold('Markers'), ...lines, ''];
}

function actionLines({ action, evidence }: RequestView, style: PageStyle): string[] {
  if (action === undefined || evidence === undefined) {
    return labelled('Action', 'not known: the recording holds no answer to this request', style);
  }
  const tools = action.blocks.flatMap((block) => (block.kind === 'tool-call' ? [block.name] : []));
  const text = tools.length === 0 ? 'no tool call' : `calls ${tools.join(', ')}`;
  const { total, kept, recoverable, lost, mutated } = countEvidence(
    evidence.map(({ value, status }) => ({ value, status, outlived: 0 })),
  );
  const changed = mutated === 0 ? '' : `, ${mutated} of them changed`;
  const counts =
    total === 0
      ? 'the action uses no identifier of its request'
      : `${total} used: ${kept} kept, ${recoverable} recoverable, ${lost} lost${changed}`;
  return [
    ...labelled('Action', shownLine(text, style), style),
    ...labelled('Evidence', counts, style),
  ];
}

function evidenceTable(
  evidence: readonly EvidencePlace[],
  names: ReadonlyMap<string, string>,
  style: PageStyle,
): string[] {
  if (evidence.length === 0) return [];
  const rows = [
    ...evidence.filter(({ status }) => status !== 'kept'),
    ...evidence.filter(({ status }) => status === 'kept'),
  ];
  return [
    '',
    ...tableWithText(
      [
        column(
          ['status'],
          rows.map(({ status }) => status),
          'left',
        ),
        column(
          ['behind'],
          rows.map(({ behind }) => pathText(behind, names)),
          'left',
        ),
        column(
          ['held by', 'message'],
          rows.map((row) => heldText(row)),
          'left',
        ),
      ],
      {
        header: 'tool: identifier',
        cells: rows.map((row) => shownLine(usedText(row), style)),
      },
      style,
      (row) => statusPaint(rows[row]?.status ?? 'kept', style.paint),
    ),
  ];
}

/** The first message that holds it, what became of that, and how many more there are. */
export function heldText({ heldBy }: EvidencePlace): string {
  const [first, ...others] = heldBy;
  if (first === undefined) return 'system prompt';
  return `${first.index} ${first.fate}${others.length === 0 ? '' : ` +${others.length}`}`;
}

/** The tools whose calls take the identifier, and it. */
export function usedText({ usedBy, value }: EvidencePlace): string {
  return usedBy.length === 0 ? value : `${usedBy.join(', ')}: ${value}`;
}

export function statusPaint(
  status: EvidencePlace['status'],
  paint: Paint,
): (text: string) => string {
  switch (status) {
    case 'kept':
      return (text) => text;
    case 'recoverable':
      return paint.yellow;
    default:
      return paint.red;
  }
}
