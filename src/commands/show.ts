import { paintFor } from '../report/paint.ts';
import { blockPage, blocksNamed } from '../report/show/block-page.ts';
import { messageText } from '../report/show/block-text.ts';
import type { ReplayedCell } from '../report/show/cell.ts';
import { cellPage } from '../report/show/cell-page.ts';
import { blockJson, cellJson, jsonText, requestJson } from '../report/show/json.ts';
import type { PageStyle } from '../report/show/lines.ts';
import { requestPage } from '../report/show/request-page.ts';
import { RequestViews } from '../report/show/request-view.ts';
import { redactionOf } from '../text/redact.ts';
import { visible } from '../text/visible.ts';
import type { Message } from '../transcript/message.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { DEFAULT_TRANSCRIPTS } from './defaults.ts';
import type { Environment, ExitCode } from './environment.ts';
import { problemLines } from './problem-lines.ts';
import { projectPath } from './project.ts';
import { findTranscript } from './show/find-transcript.ts';
import { loadConfig } from './show/load-config.ts';
import { replayCell } from './show/replay-cell.ts';
import type { ShowOptions } from './show-options.ts';

const LISTED = 5;

/**
 * `show`: replays one recording under one config and prints what that did: the page of the cell, of one
 * request, or of one message. Writes no file. Rejects with a HarnessError for a task, config, request or
 * message that is not there.
 */
export async function show(options: ShowOptions, environment: Environment): Promise<ExitCode> {
  const { cwd, stdout, stderr, variables } = environment;
  const loaded = await loadConfig(options.config, options.sets, environment);
  for (const notice of loaded.notices) stderr.write(`notice: ${visible(notice)}\n`);
  const { transcripts } = options;
  const patterns = transcripts.length > 0 ? transcripts : [projectPath(cwd, DEFAULT_TRANSCRIPTS)];
  const paint = paintFor(stderr.isTerminal, variables);
  const found = await findTranscript(patterns, options, cwd, (problems) => {
    for (const line of problemLines(problems, paint)) stderr.write(`${line}\n`);
  });
  if (found.others.length > 0) {
    stderr.write(`notice: ${visible(othersText(found.transcript, found.others))}\n`);
  }
  const cell = await replayCell(found.transcript, loaded, options, environment);
  const redact = options.redact ? redactionOf(textsOf(cell)) : (text: string) => text;
  const style: PageStyle = { paint: paintFor(stdout.isTerminal, variables), redact };
  const output = options.json
    ? jsonText(document(cell, options), redact)
    : page(cell, options, style).join('\n');
  stdout.write(`${output}\n`);
  return 0;
}

function page(
  cell: ReplayedCell,
  { request, block }: ShowOptions,
  style: PageStyle,
): readonly string[] {
  if (request === undefined) return cellPage(cell, style);
  const view = new RequestViews(cell).at(request);
  if (block === undefined) return requestPage(view, cell, style);
  return blockPage(blocksNamed(block, view), style);
}

function document(cell: ReplayedCell, { request, block }: ShowOptions): unknown {
  if (request === undefined) return cellJson(cell);
  const view = new RequestViews(cell).at(request);
  if (block === undefined) return requestJson(view, cell);
  return blockJson(blocksNamed(block, view), view, cell);
}

/** Each distinct message of the recording, as text. */
function* textsOf({ transcript }: ReplayedCell): Generator<string> {
  const seen = new Set<Message>();
  for (const { messages, action } of transcript.requests) {
    for (const message of action === undefined ? messages : [...messages, action]) {
      if (seen.has(message)) continue;
      seen.add(message);
      yield messageText(message);
    }
  }
}

function othersText({ trial, lineage }: Transcript, others: readonly Transcript[]): string {
  const names = others.slice(0, LISTED).map((one) => `trial ${one.trial} lineage ${one.lineage}`);
  const more = others.length > LISTED ? ` and ${others.length - LISTED} more` : '';
  return `shown is trial ${trial}, lineage ${lineage}; there are also ${names.join(', ')}${more} (--trial, --lineage)`;
}
