import type { Transcript } from '../transcript/transcript.ts';
import type { Problem } from './problem.ts';
import { toTranscript } from './transcripts.ts';

/** Tells of a recording without a request: with it an outcome leaves the sample, and often a bad one. */
export function holdsNoRequest({ task, trial, reward, source }: Transcript): Problem {
  const outcome = reward === undefined ? '' : `, and with it its reward of ${reward}`;
  return {
    code: 'input.empty',
    message: `task '${task}', trial ${trial}: holds no request, left out${outcome}`,
    at: { file: source.file },
    severity: 'notice',
  };
}

/**
 * The transcript without a reward that is not within 0 to 1, which no table could be made of; told, since
 * only whoever wrote it knows its scale.
 */
export function withPlainReward(
  transcript: Transcript,
  report: (problem: Problem) => void,
): Transcript {
  const { reward, ...rest } = transcript;
  if (reward === undefined || (reward >= 0 && reward <= 1)) return transcript;
  const { task, trial, source } = transcript;
  report({
    code: 'input.schema',
    message: `task '${task}', trial ${trial}: the reward is ${reward}, expected 0 to 1; left out: rescale the rewards of the recording`,
    at: { file: source.file, key: 'reward' },
    severity: 'notice',
  });
  // Its hash is that of a recording that never had one.
  return toTranscript(rest);
}
