import type { CellResult, Counts } from './result.ts';

/** How a column is written: a word, a number, `True`/`False`, or `name:count` pairs joined by `;`. */
export type ColumnType = 'text' | 'number' | 'boolean' | 'counts';

export type ColumnGroup =
  | 'context-guru'
  | 'identity'
  | 'reward'
  | 'actions'
  | 'evidence'
  | 'savings'
  | 'tiers and USD'
  | 'component'
  | 'shape'
  | 'agreement and probes'
  | 'time';

export type ColumnValue = string | number | boolean | Counts | undefined;

export interface Column {
  readonly header: string;
  readonly type: ColumnType;
  /** `tokens`, `ms`, `s`, `USD`, `%`; empty for a count or a word. */
  readonly unit: string;
  readonly group: ColumnGroup;
  readonly description: string;
  /** Property of `CellResult` that the column shows. */
  readonly field: keyof CellResult;
  /** Rows without it are not rows: the reader refuses them. */
  readonly required: boolean;
  value(cell: CellResult): ColumnValue;
}

type FieldOf<V> = {
  [K in keyof CellResult]-?: Exclude<CellResult[K], undefined> extends V ? K : never;
}[keyof CellResult];

const requiredFields: ReadonlySet<keyof CellResult> = new Set<keyof CellResult>([
  'task',
  'config',
  'note',
  'trial',
  'sample',
  'lineage',
  'sourceFormat',
  'model',
  'tokenizer',
  'cellId',
  'configHash',
  'transcriptHash',
]);

type Description = Omit<Column, 'header' | 'field' | 'value' | 'type' | 'required'>;

function column(field: keyof CellResult, type: ColumnType, rest: Description) {
  return {
    ...rest,
    field,
    type,
    required: requiredFields.has(field),
    value: (cell: CellResult) => cell[field],
  };
}

/** Columns of one group; the unit comes first, since it is what readers of a number ask for. */
function group(name: ColumnGroup) {
  return {
    text: (field: FieldOf<string>, description: string) =>
      column(field, 'text', { unit: '', group: name, description }),
    number: (field: FieldOf<number>, unit: string, description: string) =>
      column(field, 'number', { unit, group: name, description }),
    boolean: (field: FieldOf<boolean>, description: string) =>
      column(field, 'boolean', { unit: '', group: name, description }),
    counts: (field: FieldOf<Counts>, description: string) =>
      column(field, 'counts', { unit: '', group: name, description }),
  };
}

const guru = group('context-guru');
const identity = group('identity');
const reward = group('reward');
const actions = group('actions');
const evidence = group('evidence');
const savings = group('savings');
const cost = group('tiers and USD');
const component = group('component');
const shape = group('shape');
const agreement = group('agreement and probes');
const time = group('time');

const tier = (field: FieldOf<number>, name: string, side: string) =>
  cost.number(field, 'tokens', `Tokens ${name}, requests ${side} compaction.`);

/** Of a tier that some providers do not bill. */
const UNBILLED = ' (empty where writing has no price of its own)';

const headers = {
  task: guru.text('task', 'What was worked on.'),
  config: guru.text('config', 'The config; baseline sends every request as recorded.'),
  agent: guru.text('agent', 'The agent that was recorded, where the recording says so.'),
  reward: guru.number(
    'reward',
    '',
    'On the baseline the recorded reward, 0 to 1; on any other row the grounded one: the recorded reward if every action with evidence is supported, else 0. Empty where nothing is recorded. Never the outcome of a live run.',
  ),
  passed: guru.boolean('passed', 'True when reward is at least 1; empty without a reward.'),
  wall_s: guru.number(
    'wallSeconds',
    's',
    'Wall time of the replay of this cell; cells that run at once share the processor.',
  ),
  gw_requests: guru.number('requests', '', 'Requests of the transcript, retries left out.'),
  gw_before: guru.number(
    'tokensBefore',
    'tokens',
    'Tokens of all requests as recorded: text, tool calls, tool results, media, thinking that the model keeps; no JSON envelope, no top-level prompt. (The published sweep counts text only.)',
  ),
  gw_after: guru.number('tokensAfter', 'tokens', 'The same of the requests as they would be sent.'),
  gw_saved: guru.number(
    'tokensSaved',
    'tokens',
    'Gross saved: gw_before − gw_after. What was dropped once is counted again at every later request.',
  ),
  gw_pct: guru.number('percentSaved', '%', '100 × gw_saved ÷ gw_before; 0 when nothing was sent.'),
  note: guru.text('note', 'ok, or error:<code> <message> for a cell that failed.'),

  trial: identity.text('trial', 'Number of the repeated recording of the task.'),
  sample: identity.number('sample', '', 'Number of the repeated model call, from 0.'),
  lineage: identity.text(
    'lineage',
    'The chain of requests within its session: main, a sub-agent, …',
  ),
  source_format: identity.text('sourceFormat', 'Layout of the file that was read.'),
  model: identity.text(
    'model',
    'Whom components asked: stub, stub-vague, none, live, or recorded (under --model record and replay).',
  ),
  tokenizer: identity.text('tokenizer', 'Encoding that counted the tokens.'),
  cell_id: identity.text(
    'cellId',
    'Hash over everything that can change the figures of the row; prices are left out.',
  ),
  config_hash: identity.text(
    'configHash',
    'Hash of the config: components, their versions, every setting.',
  ),
  transcript_hash: identity.text(
    'transcriptHash',
    'Hash of the recorded requests, actions and reward.',
  ),

  reward_kind: reward.text('rewardKind', 'What reward is: recorded or grounded.'),
  recorded_reward: reward.number('recordedReward', '', 'Reward of the recording, on every row.'),
  reward_with_expand: reward.number(
    'rewardWithExpand',
    '',
    'The grounded reward if recoverable evidence is accepted too: an upper bound. Empty on the baseline.',
  ),

  actions: actions.number(
    'actions',
    '',
    'Recorded actions of the agent; requests whose action is not known are left out.',
  ),
  actions_with_evidence: actions.number(
    'actionsWithEvidence',
    '',
    'Actions whose tool calls use an identifier that their request holds, not only its system prompt.',
  ),
  actions_supported: actions.number(
    'actionsSupported',
    '',
    'Actions all of whose evidence is kept.',
  ),
  actions_recoverable: actions.number(
    'actionsRecoverable',
    '',
    'Actions with missing evidence, all of which lies behind a visible marker.',
  ),
  actions_lost: actions.number('actionsLost', '', 'Actions with evidence that is lost or mutated.'),

  evidence_total: evidence.number(
    'evidenceTotal',
    '',
    'Identifiers that recorded actions take from their requests, each once an action.',
  ),
  evidence_kept: evidence.number('evidenceKept', '', 'Of these, still in the rewritten request.'),
  evidence_recoverable: evidence.number(
    'evidenceRecoverable',
    '',
    'Absent, but inside what a visible marker stands for, nested markers followed.',
  ),
  evidence_lost: evidence.number('evidenceLost', '', 'Absent, and not recoverable.'),
  evidence_mutated: evidence.number(
    'evidenceMutated',
    '',
    'Of the lost: those that an inserted message has in a changed form (case, separators, cut).',
  ),

  unique_saved: savings.number(
    'uniqueSaved',
    'tokens',
    'Largest reduction that each distinct message had, minus each distinct inserted message once.',
  ),
  net_saved: savings.number(
    'netSaved',
    'tokens',
    'unique_saved minus what expand gave back, each time, and minus the declaration of its tool, once.',
  ),
  overcount_ratio: savings.number(
    'overcountRatio',
    '',
    'gw_saved ÷ unique_saved; empty when unique_saved is 0.',
  ),
  peak_before: savings.number('peakBefore', 'tokens', 'Largest request as recorded.'),
  peak_after: savings.number('peakAfter', 'tokens', 'Largest request as it would be sent.'),
  expands: savings.number(
    'expands',
    '',
    'Markers that the agent would have expanded, counted at each request; 0 with --expand off.',
  ),

  fresh_before: tier('freshBefore', 'billed as fresh input', 'before'),
  fresh_after: tier('freshAfter', 'billed as fresh input', 'after'),
  cache_read_before: tier('cacheReadBefore', 'read from the prompt cache', 'before'),
  cache_read_after: tier('cacheReadAfter', 'read from the prompt cache', 'after'),
  cache_write_before: tier('cacheWriteBefore', `written to the prompt cache${UNBILLED}`, 'before'),
  cache_write_after: tier('cacheWriteAfter', `written to the prompt cache${UNBILLED}`, 'after'),
  usd_before: cost.number(
    'usdBefore',
    'USD',
    'Price of the requests as recorded, their output with them. Empty where a price is not known.',
  ),
  usd_after: cost.number(
    'usdAfter',
    'USD',
    'Price of the requests as they would be sent, at the same prices.',
  ),
  usd_model: cost.number('usdModel', 'USD', 'Price of the component calls.'),
  usd_net: cost.number(
    'usdNet',
    'USD',
    'usd_before − usd_after − usd_model; below 0, the config costs more than it saves.',
  ),
  price_basis: cost.text(
    'priceBasis',
    'Where the prices are from, with their date, and what was assumed.',
  ),
  break_even_requests: cost.number(
    'breakEvenRequests',
    'requests',
    'Requests that must still come for the component calls to pay, each saving unique_saved at the price of a cache read.',
  ),
  break_even_request: cost.number(
    'breakEvenRequest',
    '',
    'Number of the request, from 1, from which on all that was spent, component calls included, stays below what the recording had spent; empty where that never comes.',
  ),
  cache_bust_tokens: cost.number(
    'cacheBustTokens',
    'tokens',
    'Tokens that the rewrites kept and that were written or sent fresh again, where the original would have read them from the cache.',
  ),
  cache_write_1h_before: tier('cacheWrite1hBefore', 'of cache_write_before, for an hour', 'before'),
  cache_write_1h_after: tier('cacheWrite1hAfter', 'of cache_write_after, for an hour', 'after'),
  output_before: tier(
    'outputBefore',
    'that the agent’s model wrote: recorded, else counted',
    'before',
  ),
  output_after: tier('outputAfter', 'the same, with the calls of the expand tool', 'after'),
  calibration_ratio: cost.number(
    'calibrationRatio',
    '',
    'Tokens of the provider for one of ours, by the recorded usage, which scales all tiers; empty without one.',
  ),
  calibration_error: cost.number(
    'calibrationError',
    '',
    'Σ over requests and tiers of |predicted − recorded| ÷ recorded input tokens, before compaction; a token in a wrong tier counts twice.',
  ),

  fired: component.number('fired', '', 'Requests that were rewritten.'),
  model_calls: component.number(
    'modelCalls',
    '',
    'Calls that components made, failed ones and those of reverted rewrites included.',
  ),
  model_input_tokens: component.number('modelInputTokens', 'tokens', 'What these calls read.'),
  model_output_tokens: component.number('modelOutputTokens', 'tokens', 'What these calls wrote.'),
  reused: component.number(
    'reused',
    '',
    'Rewrites that repeated an earlier decision without a call.',
  ),
  reverted: component.number('reverted', '', 'Rewrites that the pipeline took back.'),
  gates: component.counts('gates', 'Why components skipped a request, as name:count.'),
  refusals: component.counts('refusals', 'Why rewrites were taken back, as name:count.'),
  cycles: component.number('cycles', '', 'Rewrites that were decided anew.'),

  violations_before: shape.number(
    'violationsBefore',
    '',
    'Breaches of provider rules by the recorded requests, over all of them.',
  ),
  violations_added: shape.number(
    'violationsAdded',
    '',
    'Breaches that would be sent and that the recorded requests do not have.',
  ),
  violation_rules: shape.counts(
    'violationRules',
    'Rules that rewrites broke, sent or taken back, as rule:count.',
  ),

  agreement: agreement.number(
    'agreement',
    '',
    'Mean agreement of the next action on the rewritten request, 0 to 1: same tools and targets 1, same tools 0.5, else 0. Only where the model, given the request as recorded, does what the agent did.',
  ),
  agreement_low: agreement.number(
    'agreementLow',
    '',
    'Lower end of its 95 % score interval (Wilson), which takes the requests for independent.',
  ),
  agreement_high: agreement.number('agreementHigh', '', 'Upper end of the interval of agreement.'),
  agreement_n: agreement.number('agreementCount', '', 'Requests behind agreement.'),
  agreement_eligible: agreement.number(
    'agreementEligible',
    '',
    'Requests that could be asked about: rewritten, and known what the agent did.',
  ),
  agreement_sampled: agreement.number(
    'agreementSampled',
    '',
    'Of these, requests that were asked about: agreement_n + agreement_not_reproduced + agreement_unparsed.',
  ),
  agreement_not_reproduced: agreement.number(
    'agreementNotReproduced',
    '',
    'Requests at which the model, as recorded, does something else than the agent did; not scored.',
  ),
  agreement_unparsed: agreement.number(
    'agreementUnparsed',
    '',
    'Requests at which a reply was no action, on either side; not scored.',
  ),
  agreement_unparsed_reasons: agreement.counts(
    'agreementUnparsedReasons',
    'Why they were no action, as reason:count: no_action, arguments, expand_limit, or the code of a failed call.',
  ),
  agreement_answers: agreement.number(
    'agreementAnswers',
    '',
    'Of agreement_n, requests whose recorded action is an answer in words; another answer agrees with it, whatever it says.',
  ),
  agreement_expands: agreement.number(
    'agreementExpands',
    '',
    'Markers that the model asked for and got back before it acted.',
  ),
  agreement_plan: agreement.text(
    'agreementPlan',
    'How requests and spans were sampled, with the seed; whether tools were declared as recorded; the model that was asked.',
  ),
  probe_score: agreement.number(
    'probeScore',
    '',
    'Share of probe questions about dropped messages that the rewritten request answers, 0 to 1.',
  ),
  probe_low: agreement.number(
    'probeLow',
    '',
    'Lower end of its 95 % score interval (Wilson), which takes the questions for independent.',
  ),
  probe_high: agreement.number('probeHigh', '', 'Upper end of the interval of probe_score.'),
  probe_n: agreement.number('probeCount', '', 'Probe questions behind probe_score.'),
  probe_unanswered: agreement.number(
    'probeUnanswered',
    '',
    'Of probe_n, questions that the model said it cannot answer; they count as not right.',
  ),
  probe_unparsed: agreement.number(
    'probeUnparsed',
    '',
    'Probe questions without an answer in words; not scored.',
  ),
  probe_score_expand: agreement.number(
    'probeScoreExpand',
    '',
    'As probe_score, with the expand tool served; empty where the config does not declare it.',
  ),
  probe_n_expand: agreement.number(
    'probeCountExpand',
    '',
    'Probe questions behind probe_score_expand.',
  ),
  probe_unparsed_expand: agreement.number(
    'probeUnparsedExpand',
    '',
    'Probe questions without an answer in words when expand is served; not scored.',
  ),
  probe_spans: agreement.number('probeSpans', '', 'Dropped messages that were asked about.'),
  probe_dropped: agreement.number(
    'probeDropped',
    '',
    'Questions that could not be used: not written, or their answer is not in the message or in the question.',
  ),
  agreement_calls: agreement.number(
    'agreementCalls',
    '',
    'Model calls behind agreement and probes; none of them is in model_calls.',
  ),
  agreement_calls_shared: agreement.number(
    'agreementCallsShared',
    '',
    'Of these, calls that depend on the recording alone: made once, and counted on the row of every config that uses them.',
  ),
  agreement_input_tokens: agreement.number(
    'agreementInputTokens',
    'tokens',
    'What the calls behind agreement and probes read.',
  ),
  agreement_output_tokens: agreement.number(
    'agreementOutputTokens',
    'tokens',
    'What the calls behind agreement and probes wrote.',
  ),
  usd_agreement: agreement.number(
    'usdAgreement',
    'USD',
    'Price of the calls behind agreement and probes; not in usd_model. Empty where it is not known.',
  ),

  added_ms_p50: time.number(
    'addedMsMedian',
    'ms',
    'Time that the pipeline added to a request, median.',
  ),
  added_ms_p95: time.number('addedMs95', 'ms', 'The same, 95th percentile (nearest rank).'),
} satisfies Record<string, Omit<Column, 'header'>>;

export type ColumnName = keyof typeof headers;

/** Every column of the CSV, in its order: header, unit, description, type, and how to get its value. */
export const columns = Object.fromEntries(
  Object.entries(headers).map(([header, rest]) => [header, { header, ...rest }]),
) as Readonly<Record<ColumnName, Column>>;

export const columnList: readonly Column[] = Object.values(columns);
