import type { Config } from '../../compaction/config.ts';
import { externalCalls } from '../../compaction/external-host.ts';
import type { ModelResolver } from '../../compaction/pipeline.ts';
import { stubModel } from '../../model/stub.ts';
import { type ReplayOptions, replayTranscript } from '../../replay/replay.ts';
import type { ReplayedCell } from '../../report/show/cell.ts';
import type { Message } from '../../transcript/message.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import type { Environment } from '../environment.ts';
import type { OfflineMode } from '../sweep-model-options.ts';
import type { LoadedConfig } from './load-config.ts';

const TOKENIZER = 'o200k_base';

/** Replays a transcript as a sweep does, and keeps the lists that would be sent. */
export async function replayCell(
  transcript: Transcript,
  { config, matched }: Pick<LoadedConfig, 'config' | 'matched'>,
  settings: { readonly model: OfflineMode; readonly expand: boolean },
  { cwd, variables }: Pick<Environment, 'cwd' | 'variables'>,
): Promise<ReplayedCell> {
  const { model, expand } = settings;
  const options: ReplayOptions = {
    tokenizer: TOKENIZER,
    models: () => modelOf(model),
    sample: 0,
    expand,
    callExternal: externalCalls({ folder: cwd, variables }),
  };
  const budgets =
    matched === undefined ? {} : { budgets: await budgetsOf(transcript, matched, options) };
  const sent: (readonly Message[])[] = [];
  const replay = await replayTranscript(
    transcript,
    config,
    { ...options, ...budgets },
    (_, __, after) => {
      sent.push(after);
    },
  );
  return { transcript, config, model, tokenizer: TOKENIZER, expand, replay, sent };
}

async function budgetsOf(
  transcript: Transcript,
  matched: Config,
  options: ReplayOptions,
): Promise<readonly number[]> {
  const { requests } = await replayTranscript(transcript, matched, options);
  return requests.map(({ tokensAfter }) => tokensAfter);
}

function modelOf(mode: OfflineMode): ModelResolver {
  if (mode === 'none') return () => undefined;
  const model = stubModel(mode);
  return () => model;
}
