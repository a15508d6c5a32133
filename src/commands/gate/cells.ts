import type { Config } from '../../compaction/config.ts';
import { messageOf } from '../../errors.ts';
import { stubModel } from '../../model/stub.ts';
import { readRecordings } from '../../recordings/read.ts';
import { replayTranscript } from '../../replay/replay.ts';
import { shapeCheck } from '../../replay/shape-check.ts';
import type { GateCell, GateFinding } from '../../report/gate.ts';
import { measuredCell } from '../../rows/result.ts';
import { allDialects, inDialect } from '../../sweep/translated.ts';
import type { DialectName } from '../../transcript/message.ts';
import type { Transcript } from '../../transcript/transcript.ts';

export interface CellsPart {
  readonly cells: readonly GateCell[];
  readonly findings: readonly GateFinding[];
}

/** Replays every recording in every dialect under every config, with the guard on and the stub model. */
export async function runCells(
  patterns: readonly string[],
  configs: readonly Config[],
  dialects: readonly DialectName[],
  cwd: string,
  progress: (cells: number) => void,
): Promise<CellsPart> {
  const cells: GateCell[] = [];
  const findings: GateFinding[] = [];
  for await (const { transcripts, problems } of readRecordings(patterns, { cwd })) {
    for (const { severity, message, at } of problems) {
      if (severity !== 'error') continue;
      const subject = [at.file, at.line].filter((part) => part !== undefined).join(':');
      findings.push({ severity: 'fail', check: 'readable', subject, message });
    }
    for (const recorded of transcripts) {
      for (const dialect of allDialects.filter((name) => dialects.includes(name))) {
        const transcript = inDialect(recorded, dialect);
        for (const config of configs) {
          const cell = await measure(transcript, config);
          if ('failed' in cell) {
            const subject = `${recorded.task} · ${dialect} · ${config.name}`;
            findings.push({ severity: 'fail', check: 'harness', subject, message: cell.failed });
          } else cells.push(cell);
          progress(cells.length);
        }
      }
    }
  }
  return { cells, findings };
}

async function measure(
  transcript: Transcript,
  config: Config,
): Promise<GateCell | { readonly failed: string }> {
  const model = stubModel('stub');
  const options = { tokenizer: 'o200k_base', models: () => () => model, sample: 0 } as const;
  try {
    const replay = await replayTranscript(transcript, config, options);
    const row = measuredCell(
      {
        transcript,
        config,
        sample: 0,
        cellId: '',
        model: 'stub',
        tokenizer: options.tokenizer,
        wallSeconds: 0,
      },
      replay,
    );
    const reverted = replay.requests.flatMap(({ steps }) =>
      steps.flatMap((step) =>
        step.kind === 'reverted' && step.reason.startsWith('shape:') ? step.detail.split(' ') : [],
      ),
    );
    const { task, trial, lineage, dialect } = transcript;
    const parts = [task, trial === '0' ? '' : trial, lineage === 'main' ? '' : lineage];
    return {
      task: parts.filter((part) => part !== '').join('/'),
      unit: task,
      dialect,
      config: config.name,
      before: row.tokensBefore ?? 0,
      after: row.tokensAfter ?? 0,
      // Every config sees the same recorded requests: they are judged once, under the baseline.
      recorded: config.steps.length === 0 ? recordedRules(transcript) : [],
      added: replay.requests.flatMap(({ violationsAdded }) => violationsAdded),
      reverted,
      evidenceKept: row.evidenceKept,
      evidenceTotal: row.evidenceTotal,
      reward: row.reward,
    };
  } catch (error) {
    return { failed: messageOf(error) };
  }
}

function recordedRules(transcript: Transcript): string[] {
  return transcript.requests.flatMap((request) => {
    const model = request.model ?? transcript.model;
    return shapeCheck(transcript, request, model).recorded.map(({ rule }) => rule);
  });
}
