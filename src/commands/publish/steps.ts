import type { Published } from '../../report/results/published.ts';
import type { ResultsInput } from '../../report/results.ts';
import type { Manifest } from '../../sweep/manifest.ts';
import { BASELINE, DEFAULT_TRANSCRIPTS } from '../defaults.ts';
import { shellWord } from '../shell-words.ts';
import type { ConfigSource } from './reproduction.ts';

function comparisonWords({ baseline, margin, missing }: Published): string[] {
  const points = String(Number((100 * margin).toFixed(6)));
  const named = baseline === BASELINE ? [] : ['--baseline', baseline];
  return [...named, '--margin', points, '--missing', missing];
}

/** Commands that print the figures of a published table again. */
export function rewardSteps(published: Published): ResultsInput['reproduce'] {
  const words = [`results/${published.stem}.csv`, ...comparisonWords(published)];
  return {
    commands: ['npm ci', `npm run import-rewards -- ${words.map(shellWord).join(' ')}`],
    notes: [
      'The first command installs the harness; the second prints the figures of this page from the rows of the snapshot.',
      'The runs themselves cannot be repeated from here: whoever made the table ran them.',
    ],
  };
}

/** A run that recorded is repeated from its cassette. */
function modelWords({ model, mode, cassette, ...options }: Manifest['options']): string[] {
  const { on_miss: onMiss, agreement, probes, agreement_seed: seed } = options;
  const isStrict = onMiss === undefined || onMiss === 'error';
  return [
    ...['--model', cassette === undefined ? (mode ?? model) : 'replay'],
    ...(cassette === undefined ? [] : ['--cassette', cassette]),
    ...(isStrict ? [] : ['--on-miss', onMiss]),
    ...(agreement === undefined ? [] : ['--agreement', String(agreement)]),
    ...(probes === undefined ? [] : ['--probes', String(probes)]),
    ...(seed === undefined ? [] : ['--agreement-seed', String(seed)]),
  ];
}

/** Commands that run a published sweep again, and what a reader has to know for it. */
export function runSteps(
  { revision, options, transcripts, versions }: Manifest,
  { names, sets, unknown }: ConfigSource,
  published: Published,
): ResultsInput['reproduce'] {
  const configs = names.length === 0 ? [BASELINE] : names;
  const isDefault = transcripts.patterns.every((pattern) => pattern.endsWith(DEFAULT_TRANSCRIPTS));
  const words = [
    ...['--config', ...configs],
    ...sets.flatMap((set) => ['--set', set]),
    ...(isDefault ? [] : ['--transcripts', ...transcripts.patterns]),
    ...(transcripts.format === 'auto' ? [] : ['--format', transcripts.format]),
    ...modelWords(options),
    ...['--tokenizer', options.tokenizer],
    ...['--samples', String(options.samples)],
    ...(options.assume_model === undefined ? [] : ['--assume-model', options.assume_model]),
    ...(options.prices === undefined ? [] : ['--prices', options.prices]),
    ...(options.guard ? [] : ['--no-guard']),
    ...(options.expand === 'on' ? ['--expand', 'on'] : []),
    ...['--name', published.name],
  ];
  const publish = ['--name', published.name, ...comparisonWords(published)];
  const live = published.rewards;
  const commands = [
    ...(revision === undefined ? [] : [`git checkout ${revision.commit}`]),
    'npm ci',
    `npm run sweep -- ${words.map(shellWord).join(' ')}`,
    ...(live === null
      ? [`npm run publish-results -- ${publish.map(shellWord).join(' ')}`]
      : [
          `npm run import-rewards -- ${[`results/${live}`, '--run', `results/${published.stem}.csv`, ...comparisonWords(published)].map(shellWord).join(' ')}`,
        ]),
  ];
  const notes = [
    `Node ${versions.node.replace(/^v/, '')} was used; any from 20 on gives the same. All columns come out equal but for wall_s, added_ms_p50 and added_ms_p95, which are times of the machine.`,
  ];
  if (!isDefault) {
    notes.push(
      'The recordings have to be where --transcripts names them: those outside of the project are no part of it. The column transcript_hash tells whether they are the same.',
    );
  }
  if (options.prices !== undefined) {
    notes.push(
      'The USD are those of the prices in the file of --prices: the column price_basis names it with its date.',
    );
  }
  if (unknown.length > 0) {
    notes.push(
      `No document of sweeps/ gives these configs any more: ${unknown.join(', ')}. Their whole settings stand below and in the manifest: save them as a YAML file and name it with --config.`,
    );
  }
  if (revision?.dirty === true) {
    notes.push(
      'The revision had uncommitted changes when it ran, so the figures may not come out again.',
    );
  }
  return { commands, notes };
}
