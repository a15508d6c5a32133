import { on, setMaxListeners } from 'node:events';
import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import { externalCalls } from '../compaction/external-host.ts';
import { codeOf, HarnessError, messageOf } from '../errors.ts';
import type { Variables } from '../model/endpoint.ts';
import type { Cell } from '../sweep/cells.ts';
import type {
  ThreadDone,
  ThreadOrder,
  ThreadReport,
  ThreadTask,
  ThreadWork,
} from '../sweep/executors/thread-protocol.ts';
import { type MeasuringHost, measureCells } from '../sweep/measure-cells.ts';
import { toOutcomeText } from '../sweep/outcome-text.ts';
import { transcriptOfParts } from '../sweep/transcript-text.ts';
import { readPrices } from './price-file.ts';
import { sweepModels } from './sweep-models.ts';
import type { SweepOptions } from './sweep-options.ts';
import { redactionOf, secretsIn } from './sweep-redaction.ts';
import { selectSweep } from './sweep-select.ts';
import { withCassette } from './sweep-settings.ts';

/** What a thread makes its host of, as the command did. */
export interface ThreadInit {
  readonly options: SweepOptions;
  readonly cwd: string;
  readonly variables: Variables;
  /** True where a config has a component of the user's own, which is imported. */
  readonly importsOwn: boolean;
}

interface ThreadHost extends Omit<MeasuringHost, 'signal'> {
  /** Calls so far that the cassette did not hold. */
  missed(): number;
}

let made: Promise<ThreadHost> | undefined;

/** Measures one transcript after the other, until the port is closed. */
export async function measureTask({ port, works }: ThreadTask): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  // Every call that is under way listens to it.
  setMaxListeners(0, signal);
  port.on('message', (order: ThreadOrder) => {
    if (order === 'stop') controller.abort();
  });
  const tell = (report: ThreadReport) => port.postMessage(report);
  for await (const _ of on(port, 'message', { close: ['close'] })) {
    const next: { readonly message: ThreadWork } | undefined = receiveMessageOnPort(works);
    if (next !== undefined) tell(await measured(next.message, signal, tell));
  }
  works.close();
}

/** Whatever fails here is told as what ends the run. */
async function measured(
  work: ThreadWork,
  signal: AbortSignal,
  tell: (report: ThreadReport) => void,
): Promise<ThreadDone> {
  let before = 0;
  let host: ThreadHost | undefined;
  try {
    made ??= hostOf(initOf(workerData));
    host = await made;
    before = host.missed();
    const { budgets } = work;
    const finished = new Set(work.finished);
    // Of what still waits when the run is stopped, nothing is even counted.
    const cells = signal.aborted ? [] : cellsOf(work, host);
    const left = {
      cells,
      isFinished: (id: string) => finished.has(id),
      budgetOf: (id: string) => budgets.get(id),
    };
    for await (const outcome of measureCells(left, { ...host, signal }, signal)) {
      tell(JSON.stringify(toOutcomeText(outcome)));
    }
    return { missed: host.missed() - before };
  } catch (error) {
    const missed = (host?.missed() ?? 0) - before;
    return { missed, end: { code: codeOf(error), message: messageOf(error) } };
  }
}

/** Behind what the pool has of its own. */
function initOf(data: unknown): ThreadInit {
  const init: unknown = Array.isArray(data) ? data[1] : undefined;
  if (typeof init === 'object' && init !== null && 'options' in init) return init as ThreadInit;
  throw new HarnessError('harness.internal', 'the thread was started without its options');
}

async function hostOf({ options, cwd, variables }: ThreadInit): Promise<ThreadHost> {
  const now = () => performance.timeOrigin + performance.now();
  const { selection } = await selectSweep(options, { cwd, variables });
  const secrets = secretsIn(selection, variables);
  const prices = await readPrices(options.prices, cwd);
  const { models, cassette } = sweepModels(options, prices, secrets, { cwd, variables, now });
  return {
    selection: cassette === undefined ? selection : withCassette(selection, cassette),
    models,
    callExternal: externalCalls({ folder: cwd, variables }),
    prices,
    redact: redactionOf(secrets),
    now,
    missed: () => cassette?.missed ?? 0,
  };
}

function cellsOf({ cells, transcript: parts }: ThreadWork, { selection }: ThreadHost): Cell[] {
  const transcript = transcriptOfParts(parts);
  return cells.map(({ config: number, sample, id }) => {
    const config = selection.configs[number];
    if (config !== undefined) return { transcript, config, sample, id };
    throw new HarnessError(
      'harness.internal',
      `a task names config ${number}, which its run lacks`,
    );
  });
}
