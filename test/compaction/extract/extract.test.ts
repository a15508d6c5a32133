import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { contains } from '../../../src/compaction/extract/containment.ts';
import { extractConfig } from '../../../src/compaction/extract/extract-config.ts';
import { basisOf } from '../../../src/compaction/extract/result-cache.ts';
import { SandboxPool } from '../../../src/compaction/extract/sandbox/pool.ts';
import { Lineage } from '../../../src/compaction/pipeline.ts';
import { badProgramKinds, badProgramModel } from '../../../src/model/bad-program.ts';
import type { Model } from '../../../src/model/model.ts';
import { type Script, scriptedModel } from '../../../src/model/scripted.ts';
import { SharedReplies } from '../../../src/model/shared-replies.ts';
import { MessageTable } from '../../../src/transcript/intern.ts';
import { replayLists, verdictOf } from '../../support/replay-lists.ts';
import { wireDialects } from '../../support/wire-steps.ts';
import { extractWith, keepsLinesWith, logOf, outputsOf, sessionWith } from './extract-support.ts';

// Limits that a loaded machine comes to in time, in the same order as the real ones.
const pool = vi.hoisted(() => ({ current: undefined as unknown }));
vi.mock('../../../src/compaction/extract/sandbox-access.ts', () => ({
  sharedSandbox: () => pool.current,
}));
pool.current = new SandboxPool({ size: 1, limits: { steps: 400_000, megabytes: 64 } });
afterAll(() => (pool.current as SandboxPool).close());
afterEach(() => vi.useRealTimers());

const code = { strategy: 'code', min_tokens: 100 };
const log = logOf(60);
const summarized = '[only lines with ERROR]';

/** Replays requests with one lineage; each is given as the outputs it has. */
function run(
  requests: readonly (readonly string[])[],
  settings: object,
  model: Model = scriptedModel(() => keepsLinesWith('ERROR')),
  options: { about?: string; lineage?: Lineage; table?: MessageTable; contextWindow?: number } = {},
) {
  const { about, ...rest } = options;
  const lists = requests.map((outputs) => sessionWith('anthropic', outputs, about));
  return replayLists(lists, {
    dialect: 'anthropic',
    steps: [extractWith(settings)],
    model,
    ...rest,
  });
}

async function runOne(
  output: string,
  settings: object,
  model?: Model,
  options?: Parameters<typeof run>[3],
) {
  const [replayed] = await run([[output]], settings, model, options);
  if (replayed === undefined) throw new Error('nothing was replayed');
  const [text = ''] = outputsOf(replayed.after);
  return { ...replayed, text };
}

test('every key has the default of the design', () => {
  expect(extractConfig.parse({})).toEqual({
    strategy: 'deterministic',
    language: 'javascript',
    min_tokens: 300,
    granularity: 'line',
    min_keep_ratio: 0.05,
    keep_identifiers: 60,
    repair: true,
    rlm: { max_rounds: 8, max_calls: 16, max_tokens: 100_000 },
    model: { source: 'incoming', provider: 'anthropic', auth: 'x-api-key' },
    trigger: {
      min_request_tokens: 0,
      min_messages: 0,
      min_request_frac: 0,
      min_output_tokens: 0,
      min_output_frac: 0,
      huge_output_frac: 0,
    },
    marker_mode: 'full',
  });
});

test.each([
  { langauge: 'starlark' },
  { rlm: { rounds: 3 } },
  { strategy: 'codes' },
  { min_keep_ratio: 2 },
])('refuses %j', (settings) => {
  expect(extractConfig.safeParse(settings).success).toBe(false);
});

describe('an accepted program', () => {
  test.each(wireDialects)(
    'takes the output’s place, with summary and marker (%s)',
    async (dialect) => {
      const before = sessionWith(dialect, [log], 'the queue', true);
      const [replayed] = await replayLists([before], {
        dialect,
        steps: [extractWith(code)],
        model: scriptedModel([keepsLinesWith('ERROR')]),
      });
      expect(replayed && verdictOf(replayed.report)).toBe('changed');
      const [text = ''] = outputsOf(replayed?.after ?? []);
      const [marker = '', summary, ...kept] = text.split('\n').reverse();
      expect(summary).toBe(summarized);
      expect(contains(log, kept.reverse().join('\n')).contained).toBe(true);
      expect(replayed?.expanded.get(marker.slice('<<cg:'.length, -2))).toBe(log);
      if (dialect === 'anthropic') expect(replayed?.inserted[0]?.raw).toContain('"is_error":true');
    },
  );

  test('is reused with the same bytes and without a call when the output is sent again', async () => {
    const model = scriptedModel([keepsLinesWith('ERROR')]);
    const replayed = await run([[log], [log, 'ok'], ['ok', log, log]], code, model);
    expect(model.calls).toHaveLength(1);
    expect(replayed.map(({ report }) => verdictOf(report))).toEqual([
      'changed',
      'reused',
      'reused',
    ]);
    const texts = replayed.flatMap(({ after }) => outputsOf(after)).filter((text) => text !== 'ok');
    expect(texts).toHaveLength(4);
    expect(new Set(texts).size).toBe(1);
  });

  test('is reused where only markers and white space differ, and then resolves to its own output', async () => {
    const model = scriptedModel([keepsLinesWith('ERROR')]);
    const spaced = `${log.replaceAll('\n', ' \r\n\n')}\n<<cg:0123456789abcdef>>`;
    const [first, second] = await run([[log], [spaced]], code, model);
    expect(model.calls).toHaveLength(1);
    const bare = (text: string | undefined) => text?.replace(/<<cg:\w+>>$/, '');
    expect(bare(outputsOf(second?.after ?? [])[0])).toBe(bare(outputsOf(first?.after ?? [])[0]));
    expect([...(second?.expanded.values() ?? [])]).toContain(spaced);
  });

  test.each<[string, object, Partial<Model>]>([
    ['other settings', { ...code, granularity: 'char' }, {}],
    ['another language', { ...code, language: 'starlark' }, {}],
    ['another model', code, { name: 'another' }],
  ])('is not reused under %s', async (_name, settings, change) => {
    const lineage = new Lineage();
    const table = new MessageTable();
    const first = scriptedModel(() => keepsLinesWith('ERROR'));
    const second = scriptedModel(() => keepsLinesWith('ERROR'));
    await run([[log]], code, first, { lineage, table });
    await run([[log]], code, first, { lineage, table });
    expect(first.calls).toHaveLength(1);
    await run([[log]], settings, { ...second, ...change }, { lineage, table });
    expect(second.calls.length).toBeGreaterThan(0);
  });

  test('a changed prompt, model or setting misses the cache; another trigger does not', () => {
    const config = extractConfig.parse(code);
    const basis = basisOf(config, 'a', 1);
    expect(basisOf({ ...config }, 'a', 1)).toBe(basis);
    const never = { ...config.trigger, min_messages: 9 };
    expect(basisOf({ ...config, trigger: never }, 'a', 1)).toBe(basis);
    const others = [
      basisOf(config, 'a', 2),
      basisOf(config, 'b', 1),
      basisOf(config, undefined, 1),
      ...[
        { strategy: 'rlm' },
        { language: 'starlark' },
        { granularity: 'char' },
        { min_keep_ratio: 0.1 },
        { keep_identifiers: 5 },
        { repair: false },
        { rlm: { max_rounds: 2 } },
        { model: { model: 'small' } },
        { marker_mode: 'off' },
      ].map((change) => basisOf(extractConfig.parse({ ...code, ...change }), 'a', 1)),
    ];
    expect(new Set([basis, ...others]).size).toBe(others.length + 1);
  });

  test('is shared by the sessions of a process, and charged to each as if it were the first', async () => {
    const model = scriptedModel(() => keepsLinesWith('ERROR'));
    const replies = new SharedReplies();
    const [first] = await run([[log]], code, replies.around(model));
    const [second] = await run([[log]], code, replies.around(model));
    expect(model.calls).toHaveLength(1);
    expect(outputsOf(second?.after ?? [])).toEqual(outputsOf(first?.after ?? []));
    expect(second?.report.calls).toEqual(first?.report.calls);
    expect(second?.report.calls).toHaveLength(1);
  });

  test('of JSON keeps shape, order and spelling', async () => {
    const records = Array.from({ length: 30 }, (_, n) => `{"id":"job-${n}","late":${n % 5 === 0}}`);
    const reply =
      '```js\nOUTPUT = JSON.stringify(JSON.parse(INPUT).filter((one) => one.late));\n```';
    const { text, report } = await runOne(`[${records.join(', ')}]`, code, scriptedModel([reply]));
    expect(verdictOf(report)).toBe('changed');
    expect(text).toMatch(/^\[\{"id":"job-0","late":true\},.*\]\n<<cg:\w{16}>>$/);
  });

  test('may end its last line where the output does not, which is left out', async () => {
    const log = logOf(120);
    const ending = keepsLinesWith('ERROR').replace("join('\\n')", "join('\\n') + '\\n'");
    expect(ending).toContain("+ '\\n'");
    const { report, text } = await runOne(log, code, scriptedModel([ending]));
    expect(report).toMatchObject({ kind: 'changed' });
    expect(report.refusals ?? []).toEqual([]);
    expect(text.split('\n').filter((line) => line.includes('INFO'))).toEqual([]);
    expect(text).not.toContain('\n\n');
  });

  test('in marker modes without a stash leaves a sentinel or nothing', async () => {
    const lastLine = async (marker_mode: string) => {
      const { text } = await runOne(log, { ...code, marker_mode });
      return text.split('\n').at(-1);
    };
    expect(await lastLine('summary')).toBe('<<cg:dropped>>');
    expect(await lastLine('off')).toBe(summarized);
  });
});

describe('which outputs are looked at', () => {
  const short = logOf(20);
  test.each<[string, object, number | undefined, string]>([
    ['smaller than min_tokens', { min_tokens: 100_000 }, undefined, 'no_large_output'],
    [
      'smaller than min_output_tokens',
      { trigger: { min_output_tokens: 1e5 } },
      undefined,
      'no_large_output',
    ],
    [
      'smaller than min_output_frac',
      { trigger: { min_output_frac: 0.5 } },
      10_000,
      'no_large_output',
    ],
    ['of an unknown window', { trigger: { min_output_frac: 0.5 } }, undefined, 'changed'],
    [
      'in a small request',
      { trigger: { min_request_tokens: 1e6 } },
      10_000,
      'trigger:min_request_tokens',
    ],
    [
      'huge, in a small request',
      { trigger: { min_request_tokens: 1e6, huge_output_frac: 0.02 } },
      10_000,
      'changed',
    ],
    [
      'not huge, in a small request',
      { trigger: { min_request_tokens: 1e6, huge_output_frac: 0.9 } },
      10_000,
      'trigger:min_request_tokens',
    ],
  ])('%s', async (_name, settings, contextWindow, verdict) => {
    const options = contextWindow === undefined ? {} : { contextWindow };
    const { report } = await runOne(short, { ...code, ...settings }, undefined, options);
    expect(verdictOf(report)).toBe(verdict);
  });
});

/** What a program made of a log of 60 lines about jobs, in which `job-74` is what the agent speaks of. */
describe.each(['javascript', 'starlark'])('refusals (%s)', (language) => {
  test.each(badProgramKinds)('%s', async (kind) => {
    const model = badProgramModel(kind);
    const settings = { ...code, language };
    const replayed = await run([[log], [log]], settings, model, { about: 'job-74' });
    const [first, second] = replayed.map(({ report }) => report);
    // One refusal for each call; a syntax error is repaired once.
    const refusals = kind === 'syntax' ? [kind, kind] : [kind];
    expect(first).toMatchObject({ kind: 'skipped', gate: 'no_gain', refusals });
    expect(first?.calls).toHaveLength(refusals.length);
    // It is not asked about again, and the output stays.
    expect(second?.calls).toHaveLength(0);
    expect(second?.refusals).toBeUndefined();
    expect(replayed[1]?.after).toBe(replayed[1]?.before);
  });

  test('the next program after one that broke the machine is right', async () => {
    await runOne(log, { ...code, language }, badProgramModel('memory_limit'));
    const { report } = await runOne(log, code);
    expect(verdictOf(report)).toBe('changed');
  });
});

describe('the other ends of an attempt', () => {
  test('no_model: the deterministic path, counted without a call', async () => {
    const noisy = 'the connection was refused\n'.repeat(200);
    const [replayed] = await replayLists([sessionWith('anthropic', [noisy])], {
      dialect: 'anthropic',
      steps: [extractWith(code)],
      models: () => undefined,
    });
    expect(replayed?.report).toMatchObject({ kind: 'changed', refusals: ['no_model'], calls: [] });
    expect(outputsOf(replayed?.after ?? [])[0]).toContain('[the line above 199 more times]');
  });

  test('a model that never replies is given up after 60 s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const running = runOne(log, code, scriptedModel([{ kind: 'hang' }]));
    await vi.advanceTimersByTimeAsync(60_000);
    const { report } = await running;
    expect(report).toMatchObject({ refusals: ['timeout'], kind: 'skipped' });
    expect(report.calls).toEqual([expect.objectContaining({ failed: 'model.timeout' })]);
    expect(report.calls[0]?.inputTokens).toBeGreaterThan(100);
  });

  test('after any refusal the deterministic reducer has its turn', async () => {
    const noisy = `${'the connection was refused\n'.repeat(200)}${log}`;
    const { report, text } = await runOne(noisy, code, badProgramModel('not_contained'));
    expect(report).toMatchObject({ kind: 'changed', refusals: ['not_contained'] });
    expect(text).toContain('[the line above 199 more times]');
  });

  test('a component that is cut off does not ask about the output again', async () => {
    const model = scriptedModel(() => ({ kind: 'hang' }));
    const list = sessionWith('anthropic', [log]);
    const replayed = await replayLists([list, list], {
      dialect: 'anthropic',
      steps: [extractWith(code)],
      model,
      timeLimit: 30,
    });
    expect(replayed.map(({ report }) => verdictOf(report))).toEqual([
      'error:component.timeout',
      'no_gain',
    ]);
    expect(model.calls).toHaveLength(1);
  });

  test('an output larger than the sandbox takes is not asked about', async () => {
    const model = scriptedModel([]);
    const { report, text } = await runOne('a line of noise\n'.repeat(70_000), code, model);
    expect(verdictOf(report)).toBe('changed');
    expect(text).toContain('more times]');
    expect(model.calls).toHaveLength(0);
  });

  test('a list that no shorter output could mend is left, before a call', async () => {
    const model = scriptedModel([]);
    const [replayed] = await replayLists([sessionWith('anthropic', [log])], {
      dialect: 'anthropic',
      steps: [extractWith(code)],
      model,
      addedViolations: () => ['A-ORDER-1'],
    });
    expect(replayed && verdictOf(replayed.report)).toBe('shape:A-ORDER-1');
    expect(model.calls).toHaveLength(0);
  });
});

describe('a syntax error', () => {
  const broken = '```javascript\nOUTPUT = INPUT.split("\n```';

  test('is repaired by one more call, which does not send the output again', async () => {
    const model = scriptedModel([broken, keepsLinesWith('ERROR')]);
    const { report, text } = await runOne(log, code, model);
    expect(report).toMatchObject({ kind: 'changed', refusals: ['syntax'] });
    expect(text).toContain(summarized);
    const [first, second] = model.calls;
    expect(first?.prompt).toContain('worker-0-7 ');
    expect(second?.purpose).toBe('repair');
    expect(second?.prompt).toContain('OUTPUT = INPUT.split("');
    expect(second?.prompt).toMatch(/<error>\n.+/);
    expect(second?.prompt).not.toContain('worker-0-7 ');
    expect(second?.system).toBe(first?.system);
  });

  test('is not repaired where repair is off', async () => {
    const model = scriptedModel([broken]);
    const { report } = await runOne(log, { ...code, repair: false }, model);
    expect(report).toMatchObject({ refusals: ['syntax'] });
  });
});

test('calls are the accepted reductions and the refusals other than no_model', async () => {
  const replies: Script = (_request, index) =>
    [keepsLinesWith('ERROR'), '```\n(\n```', keepsLinesWith('ERROR'), { kind: 'blank' } as const][
      index % 4
    ] ?? '';
  const outputs = Array.from({ length: 12 }, (_, n) => logOf(40 + n, n));
  const requests = outputs.map((_, n) => outputs.slice(0, n + 1));
  const replayed = await run(requests, code, scriptedModel(replies));
  const last = replayed.at(-1);
  const accepted = outputsOf(last?.after ?? []).filter((text) => text.includes('<<cg:')).length;
  const reports = replayed.map(({ report }) => report);
  const refusals = reports.flatMap((report) => report.refusals ?? []);
  const calls = reports.flatMap((report) => report.calls);
  expect(accepted).toBeGreaterThan(3);
  expect(new Set(refusals)).toEqual(new Set(['syntax', 'empty_reply']));
  expect(calls).toHaveLength(accepted + refusals.length);
});
