import { cyclesOf } from '../../replay/cycles.ts';
import { columnList } from '../../rows/columns.ts';
import type { blocksNamed } from './block-page.ts';
import { blockText } from './block-text.ts';
import type { ReplayedCell } from './cell.ts';
import { rowOf } from './cell-page.ts';
import { escaped } from './lines.ts';
import type { MessageAt } from './message-changes.ts';
import { labelOf } from './request-page.ts';
import { type CountedChange, type RequestView, RequestViews } from './request-view.ts';

/** The whole cell for a program: recording, the row of a sweep, cycles, and each request without its texts. */
export function cellJson(cell: ReplayedCell): unknown {
  const views = new RequestViews(cell);
  return {
    ...headOf(cell),
    figures: figuresOf(cell),
    cycles: cyclesOf(cell.replay),
    requests: cell.replay.requests.map(({ index }) => figuresOfRequest(views.at(index))),
  };
}

/** One request for a program, both lists with their texts. */
export function requestJson(view: RequestView, cell: ReplayedCell): unknown {
  return {
    ...headOf(cell),
    ...figuresOfRequest(view),
    messages: view.changes.map((change) => ({
      ...changeOf(change),
      before: blocksOf(change.before),
      after: blocksOf(change.after),
    })),
  };
}

/** One message for a program: the texts of the blocks that were asked for. */
export function blockJson(
  { change, blocks }: ReturnType<typeof blocksNamed>,
  view: RequestView,
  cell: ReplayedCell,
): unknown {
  return {
    ...headOf(cell),
    request: view.index,
    ...changeOf(change),
    blocks: blocks.map(({ block, kind, before, after }) => ({
      block,
      kind,
      before: before ?? null,
      after: after ?? null,
    })),
  };
}

/**
 * The JSON text, keys in snake case as in the CSV; what a terminal would act on is escaped in it.
 *
 * @param redact takes secrets out of every string
 */
export function jsonText(value: unknown, redact: (text: string) => string): string {
  const text = JSON.stringify(
    value,
    (_, item: unknown) => {
      if (typeof item === 'string') return redact(item);
      return isRecord(item) ? withSnakeKeys(item) : item;
    },
    2,
  );
  return text.split('\n').map(escaped).join('\n');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withSnakeKeys(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [
      key.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

function headOf({ transcript, config, model, tokenizer, expand }: ReplayedCell) {
  const { task, trial, lineage, source, dialect, requests } = transcript;
  return {
    task,
    trial,
    lineage,
    source,
    dialect,
    agent: transcript.agent ?? null,
    agent_model: transcript.model ?? null,
    recorded_requests: requests.length,
    config: config.name,
    config_source: config.source,
    config_hash: config.hash,
    model,
    tokenizer,
    expand,
  };
}

/** As in the CSV; null where it was not measured. Times are left out, so that the same input gives the same text. */
function figuresOf(cell: ReplayedCell): Record<string, unknown> {
  const row = rowOf(cell);
  return Object.fromEntries(
    columnList
      .filter(({ group, field }) => {
        return group !== 'identity' && group !== 'time' && field !== 'wallSeconds';
      })
      .map((column) => {
        const value = column.value(row);
        return [column.header, value instanceof Map ? Object.fromEntries(value) : (value ?? null)];
      }),
  );
}

function figuresOfRequest({ index, replay, evidence, markers }: RequestView) {
  const { addedMs: _, evidence: __, markers: markerCounts, expansion, ...figures } = replay;
  return {
    request: index,
    ...figures,
    expansion: expansion ?? null,
    markerCounts,
    markers,
    evidence: evidence ?? null,
  };
}

function changeOf(change: CountedChange) {
  const { fate, before, after, tokensBefore, tokensAfter, markers } = change;
  return {
    message: labelOf(change),
    role: (before ?? after)?.message.role ?? null,
    fate,
    index_before: before?.index ?? null,
    index_after: after?.index ?? null,
    tokens_before: tokensBefore ?? null,
    tokens_after: tokensAfter ?? null,
    markers,
  };
}

function blocksOf(at: MessageAt | undefined) {
  if (at === undefined) return null;
  return at.message.blocks.map((block) => ({ kind: block.kind, text: blockText(block) }));
}
