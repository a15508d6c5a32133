import type { CellResult } from '../../rows/result.ts';
import type { Manifest } from '../../sweep/manifest.ts';
import { pointsOf } from '../caveats.ts';
import type { Comparison } from '../comparison.ts';
import { markdownName, markdownText } from '../markdown.ts';

/** How the figures of a page came about, a paragraph each. */
export function methodLines(
  comparison: Comparison,
  manifest: Manifest | undefined,
  hasLive: boolean,
): string[] {
  const { margin, missing } = comparison;
  const pairs = `Rewards are compared as pairs. The unit is the task; its trials are averaged first. [L, U] is the 95 % t-interval of the differences by task, with two pseudo-tasks of +1 and −1 added (Bonett and Price's adjustment), in points. At a margin of ${pointsOf(margin)}: \`improved\` where L > 0; else \`non-inferior\` where L ≥ −margin; else \`regressed\` where U < 0; else \`inconclusive\`. ${missing === 'loss' ? 'A missing outcome counts as a reward of 0, in either arm.' : 'A task without an outcome in both arms is left out.'}`;
  const beside =
    'Beside it, and never deciding: the exact McNemar test where each task has one trial of 0 or 1, else a sign-flip permutation test by task; p adjusted by Holm over the configs; a bootstrap over tasks (10,000 resamples, seeded), which collapses to a point with few pairs that differ; the smallest difference that would be detected with 80 % power; the one-sided 95 % bound on the flip rate (Clopper and Pearson); and the range of the difference when any one task is left out.';
  const savings =
    '*Gross* is what was not sent, counted again at every later request; *unique* counts each dropped message once, minus what was inserted; *net* is unique minus what expand gave back. *Pooled* is the percentage of all tokens together, so long transcripts weigh more; *mean* and *median* are of the percentages of the cells. *Sent against baseline* compares what both arms sent, over what both have counts of; where a config saves of its own stream and yet sends more than the baseline, the signs disagree and the row says so.';
  if (manifest === undefined) {
    return [
      'The rows are of live runs that somebody recorded; this harness read them and measured nothing itself.',
      pairs,
      beside,
      savings,
    ];
  }
  const { tokenizer, model, guard, expand, samples } = manifest.options;
  return [
    `Offline replay: every recorded request was sent through every config, with the session state that it would have had. Nothing was executed and no agent was run. Tokens are counted with ${markdownName(tokenizer)}; components asked the model ${markdownName(model)}; ${samples === 1 ? 'one sample' : `${samples} samples`} a cell; expand is ${markdownText(expand)}; the shape guard is ${guard ? 'on' : '**off**, so that rewrites that break a provider rule are in the figures'}.`,
    `${hasLive ? 'Of the replay, r' : 'R'}eward is *recorded* on the baseline and *grounded* elsewhere: the recorded reward if all evidence of every action is still in front of the agent, else 0.`,
    pairs,
    beside,
    savings,
    'Evidence: the identifiers in the arguments of recorded actions that their request holds. In the rewritten request each is *kept*, *recoverable* (behind a visible marker, proven by following it) or *lost*; *mutated* is the part of the lost that is there in a changed form only.',
  ];
}

/** What an offline replay cannot tell, in plain words. */
export function replayCaveats(rows: readonly CellResult[], manifest: Manifest): string[] {
  const { model, tokenizer } = manifest.options;
  const priced = rows.some(({ usdNet }) => usdNet !== undefined);
  const rewarded = rows.some(({ recordedReward }) => recordedReward !== undefined);
  const caveats = [
    rewarded
      ? '**The grounded reward is never the outcome of a live run.** It says whether what the recorded actions used was still there. An agent that lost something might have found another way; one that lost nothing might still have gone wrong. It can only fall, so no config can be `improved` by it.'
      : 'No reward is recorded in these transcripts, so there is no verdict on reward.',
    'The requests are the recorded ones. A real agent would have gone on from the rewritten ones, with other and maybe more requests.',
  ];
  if (model === 'stub' || model === 'stub-vague') {
    caveats.push(
      `\`${model}\` is no language model: it is deterministic, ${model === 'stub' ? 'and keeps identifiers that matter for the task, so evidence is near its best' : 'and writes no identifier of its input, so evidence is near its worst'}.`,
    );
  }
  caveats.push(
    `Counts are those of ${markdownName(tokenizer)}: an estimate for models with another tokenizer. The top-level system prompt and the tool declarations are not in them. The tokens of the components' own model calls are in no savings figure; they stand beside them.`,
    priced
      ? 'Money is an estimate from published prices and the providers’ cache rules, on the basis that the column `price_basis` names: no bill was seen.'
      : 'Money is not measured here: a rewrite that saves tokens can cost more where it breaks the prompt cache.',
  );
  return caveats;
}

/** What a table of live runs cannot tell. */
export function liveCaveats(): string[] {
  return [
    'Counts and rewards are as the table states them. A live run differs from the next one of itself; see the noise floor.',
    "Tokens of a live run are of that run's own stream: an arm that makes more requests has more to save from. So look at what was sent against the baseline, not only at what was saved.",
  ];
}
