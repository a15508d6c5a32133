import { describe, expect, test } from 'vitest';
import { startProgress } from '../../src/report/progress.ts';

function output(isTerminal: boolean) {
  const state = { text: '', time: 0 };
  const progress = startProgress({
    write: (text) => {
      state.text += text;
    },
    isTerminal,
    columns: 80,
    now: () => state.time,
  });
  return { state, progress };
}

describe('progress', () => {
  test('in a log is a plain line now and then', () => {
    const { state, progress } = output(false);
    for (let done = 1; done <= 100; done++) {
      state.time += 200;
      progress.update(done, 100, done > 50 ? 2 : 0);
    }
    progress.stop();
    expect(state.text).toBe(
      '25 of 100 cells so far\n50 of 100 cells so far\n75 of 100 cells so far, 2 failed\n100 of 100 cells so far, 2 failed\n',
    );
  });

  test('on a terminal is a bar that is gone at the end', async () => {
    const { state, progress } = output(true);
    progress.update(1, 2, 0);
    await new Promise((resolve) => setTimeout(resolve, 150));
    progress.update(2, 2, 1);
    progress.stop();
    expect(state.text).toContain('1/2 cells');
    expect(state.text).toContain('\x1b[');
    const [, end] = state.text.split(/.*cells[^\x1b]*/s);
    expect(end).not.toContain('cells');
  });
});
