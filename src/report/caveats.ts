import type { Comparison, ConfigFigures } from './comparison.ts';
import { signed, someNames } from './figures-text.ts';
import { describeFlipRate } from './statistics/flip-rate.ts';
import { SOLVED_FIRED_NEEDED } from './statistics/verdict.ts';

/** How a name from outside is spelled in a sentence: escaped for a page, made visible for a terminal. */
export type Spell = (name: string) => string;

/** What the rewards of a comparison can and cannot say, in plain words, a sentence or two each. */
export function rewardCaveats(comparison: Comparison, spell: Spell): string[] {
  return [
    ...exclusions(comparison, spell),
    ...missingOutcomes(comparison, spell),
    ...unequalTrials(comparison, spell),
    noise(comparison),
    ...untested(comparison, spell),
    ...tests(comparison, spell),
    ...decisive(comparison, spell),
  ];
}

/** One sentence for each different bound, with the configs that it holds for; of many bounds, the range. */
function exclusions({ configs, margin }: Comparison, spell: Spell): string[] {
  const byBound = new Map<string, string[]>();
  const uppers: number[] = [];
  for (const { config, reward } of configs) {
    if (reward === undefined) continue;
    const bound = describeFlipRate(reward.flips);
    byBound.set(bound, [...(byBound.get(bound) ?? []), config]);
    uppers.push(reward.flips.upper);
  }
  const range = [Math.min(...uppers), Math.max(...uppers)].map((upper) => (100 * upper).toFixed(1));
  const sentences =
    byBound.size > MOST_BOUNDS
      ? [
          `What the pairs can exclude: flip rates above ${range.join(' to ')} %, by config (one-sided 95 %).`,
        ]
      : [...byBound].map(
          ([bound, names]) =>
            `What the pairs can exclude, for ${someNames(names, spell)}: ${bound}.`,
        );
  const open = configs.flatMap(({ config, reward }) =>
    reward?.verdict.word === 'inconclusive' ? [config] : [],
  );
  if (open.length === 0) return sentences;
  const plural = open.length === 1 ? 'is' : 'are';
  return [
    ...sentences,
    `${someNames(open, spell)} ${plural} inconclusive at a margin of ${pointsOf(margin)}: the interval reaches below −${pointsOf(margin)} and is not below 0. That is no sign of "no regression"; it takes more tasks.`,
  ];
}

const MOST_BOUNDS = 3;

function missingOutcomes({ configs, missing }: Comparison, spell: Spell): string[] {
  const sentences: string[] = [];
  const missed = configs.map(({ reward }) => reward?.pairing.missing);
  const inBaseline = [...new Set(missed.flatMap((report) => report?.inBaseline ?? []))];
  if (inBaseline.length > 0) {
    sentences.push(
      `The baseline lacks an outcome of ${someNames(inBaseline, spell)}: ${ruleWords(missing, 'in favour of the config')}.`,
    );
  }
  for (const [index, { config }] of configs.entries()) {
    const inConfig = missed[index]?.inConfig ?? [];
    if (inConfig.length === 0) continue;
    sentences.push(
      `${spell(config)} lacks an outcome of ${someNames(inConfig, spell, 3)}: ${ruleWords(missing, 'against the config')}.`,
    );
  }
  const filled = configs.filter(
    ({ reward }) =>
      missing === 'loss' &&
      reward !== undefined &&
      reward.pairing.pairs.filter(({ observed }) => !observed).length >
        reward.pairing.pairs.length / 10,
  );
  if (filled.length > 0) {
    const names = filled.map(({ config }) => config);
    sentences.push(
      `More than a tenth of the pairs of ${someNames(names, spell)} were filled in, so the verdict says little about the config: --missing drop leaves them out.`,
    );
  }
  const rule =
    missing === 'loss'
      ? 'A missing outcome counts as a reward of 0.'
      : 'A task without an outcome in both arms is left out.';
  return sentences.length === 0 ? [] : [rule, ...sentences];
}

function ruleWords(missing: Comparison['missing'], side: string): string {
  return missing === 'loss' ? `counted as a loss, ${side}` : 'left out';
}

/** Trials are averaged within their task, whatever their number. */
function unequalTrials({ configs }: Comparison, spell: Spell): string[] {
  return configs.flatMap(({ config, reward }) => {
    const { unequalTrials: unequal = 0, pairs = [] } = reward?.pairing ?? {};
    if (unequal === 0) return [];
    return [
      `${spell(config)} and the baseline have different numbers of trials in ${unequal} of ${pairs.length} tasks.`,
    ];
  });
}

function noise({ noiseFloor, rewardKind }: Comparison): string {
  if (noiseFloor === undefined) {
    return 'Noise floor: no task has repeated trials of the baseline here, so how often identical runs differ is not known from this table. Between identical trials of tau-bench (50 tasks, 4 trials) 22 to 38 % of the tasks flip.';
  }
  const { trials, tasks, low, high } = noiseFloor;
  const share = [low, high].map((value) => `${(100 * value).toFixed(0)} %`).join(' to ');
  const last =
    rewardKind === 'live'
      ? 'A difference below that is what chance alone shows.'
      : 'A live run would have to beat that.';
  return `Noise floor: between two of the ${trials} identical trials of the baseline, ${share} of ${tasks} tasks flip. ${last}`;
}

function untested({ configs, rewardKind }: Comparison, spell: Spell): string[] {
  if (rewardKind === 'live') return [];
  const names = configs.filter(({ reward }) => reward?.verdict.word === 'untested');
  if (names.length === 0) return [];
  const counts = (figures: ConfigFigures) => `${spell(figures.config)} ${figures.solvedFired ?? 0}`;
  const list = names.slice(0, 8).map(counts).join(', ');
  const more = names.length > 8 ? ` and ${names.length - 8} more` : '';
  return [
    `Untested: a grounded reward can only fall where a solved cell was rewritten, and fewer than ${SOLVED_FIRED_NEEDED} were (${list}${more}).`,
  ];
}

function tests({ configs }: Comparison, spell: Spell): string[] {
  const byKind = (kind: 'mcnemar' | 'sign-flip') =>
    configs.flatMap(({ config, reward }) => (reward?.test.kind === kind ? [config] : []));
  const [mcnemar, flips] = [byKind('mcnemar'), byKind('sign-flip')];
  if (mcnemar.length + flips.length === 0) return [];
  const words = {
    mcnemar: 'the exact McNemar test',
    flips: 'a sign-flip permutation test by task',
  };
  const which =
    mcnemar.length === 0
      ? words.flips
      : flips.length === 0
        ? words.mcnemar
        : `${words.mcnemar}, but for ${someNames(flips, spell)} ${words.flips}`;
  return [`p is that of ${which}; Holm's adjusts it for ${mcnemar.length + flips.length} configs.`];
}

function decisive({ configs }: Comparison, spell: Spell): string[] {
  return configs.flatMap(({ config, reward }) => {
    const tasks = reward?.leaveOneOut?.decisive ?? [];
    if (tasks.length === 0) return [];
    const words = [...new Set(tasks.map(({ word }) => word))].join(' or ');
    const names = someNames(
      tasks.map(({ task }) => task),
      spell,
      3,
    );
    return [`${spell(config)}: without one task (${names}) the verdict would be ${words}.`];
  });
}

/** Configs whose saving and sending point different ways, with the task where that is worst. */
export function signCaveats({ configs }: Comparison, spell: Spell): string[] {
  return configs.flatMap(({ config, savings }) => {
    const { sent, pooledPercent, signsDisagree } = savings;
    if (!signsDisagree) return [];
    const [worst] = sent.disagreeing;
    const example =
      worst === undefined || worst.baseline === 0
        ? ''
        : `; on ${spell(worst.task)} it sent ${(worst.config / worst.baseline).toFixed(1)} times the baseline's`;
    return [
      `Signs disagree: ${spell(config)} saved ${signed(pooledPercent, 1)} % of its own stream and sent ${signed(sent.percent, 1)} % against the baseline, over the ${sent.tasks} that both arms have counts of${example}.`,
    ];
  });
}

/** `2 points`. */
export function pointsOf(share: number): string {
  const value = Number((100 * share).toFixed(4));
  return `${value} ${value === 1 ? 'point' : 'points'}`;
}
