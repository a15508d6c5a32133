import { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';

/** Where progress is shown, and how. */
export interface ProgressOutput {
  write(text: string): void;
  /** Whether a bar can be redrawn in place. */
  readonly isTerminal: boolean;
  readonly columns: number;
  /** Milliseconds; never goes back. */
  now(): number;
}

/** Tells how far a sweep is. `total` grows while recordings are still being read. */
export interface Progress {
  update(done: number, total: number, failed: number): void;
  stop(): void;
}

/** A line of a log at most this often, in milliseconds. */
const LINE_INTERVAL = 5000;

/** A bar on a terminal, plain lines in a log. */
export function startProgress(output: ProgressOutput): Progress {
  return output.isTerminal ? bar(output) : lines(output);
}

function bar(output: ProgressOutput): Progress {
  const single = new SingleBar({
    format: '{bar} {value}/{total} cells{failures}',
    barsize: 30,
    gracefulExit: false,
    hideCursor: true,
    clearOnComplete: true,
    stream: terminalStream(output),
    noTTYOutput: false,
    forceRedraw: false,
    etaAsynchronousUpdate: false,
  });
  single.start(0, 0, { failures: '' });
  return {
    update: (done, total, failed) => {
      single.setTotal(total);
      single.update(done, { failures: failed === 0 ? '' : `, ${failed} failed` });
    },
    stop: () => single.stop(),
  };
}

/** cli-progress asks its stream what a terminal stream knows; ours writes where it was told to. */
function terminalStream(output: ProgressOutput): NodeJS.WriteStream {
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      output.write(chunk.toString('utf8'));
      done();
    },
  });
  const terminal = { isTTY: true, columns: output.columns };
  return Object.assign(stream, terminal) as unknown as NodeJS.WriteStream;
}

function lines(output: ProgressOutput): Progress {
  let told = output.now();
  return {
    update: (done, total, failed) => {
      if (output.now() - told < LINE_INTERVAL) return;
      told = output.now();
      const failures = failed === 0 ? '' : `, ${failed} failed`;
      output.write(`${done} of ${total} cells so far${failures}\n`);
    },
    stop: () => {},
  };
}
