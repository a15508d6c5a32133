import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/compaction/config.ts';
import { declarationTokens, declaresExpand } from '../../src/compaction/expand-tool.ts';
import { markerOf, Stash, type StashKey } from '../../src/compaction/stash.ts';
import type { ActionEvidence } from '../../src/replay/evidence.ts';
import { Expander } from '../../src/replay/expansion.ts';
import { replayTranscript } from '../../src/replay/replay.ts';
import { measuredCell } from '../../src/rows/result.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { Message } from '../../src/transcript/message.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { temporaryFolder } from '../support/folder.ts';
import { configsNamed, readAll, writeTrajectories } from '../support/sweeps.ts';

const dialect = dialectOf('anthropic');
const counting = { tokenizer: 'o200k_base', dialect: 'anthropic', thinking: 'all' } as const;
const table = new MessageTable();
const user = (text: string): Message => dialect.userText(text, table);
const uses = (...values: string[]): ActionEvidence => ({
  used: values.map((value) => ({ value, status: 'recoverable', outlived: 0 })),
  said: [],
});
const marked = (key: StashKey) => user(`see ${markerOf(key)}`);

describe('what an action needs', () => {
  it('is the marker behind which its identifier lies', () => {
    const stash = new Stash();
    const [one, two] = [stash.putText('about src/one.ts'), stash.putText('about src/two.ts')];
    const list = [marked(one), marked(two)];
    const expander = new Expander(stash);
    expect(expander.expansionFor(list, uses('src/two.ts'), counting)).toMatchObject({
      keys: [two],
      rounds: 1,
    });
    expect(expander.expansionFor(list, uses('src/one.ts', 'src/two.ts'), counting)?.keys).toEqual([
      two,
      one,
    ]);
    expect(expander.expansionFor(list, uses(), counting)).toBeUndefined();
    expect(expander.expansionFor(list, undefined, counting)).toBeUndefined();
    expect(expander.expansionFor([marked(one)], uses('src/two.ts'), counting)).toBeUndefined();
  });

  it('is nothing for what is kept, mutated or lost', () => {
    const stash = new Stash();
    const key = stash.putText('about src/one.ts');
    for (const status of ['kept', 'mutated', 'lost'] as const) {
      const action = { used: [{ value: 'src/one.ts', status, outlived: 0 }], said: [] };
      expect(new Expander(stash).expansionFor([marked(key)], action, counting)).toBeUndefined();
    }
  });

  it('is the way to a nested marker, outer ones first', () => {
    const stash = new Stash();
    const inner = stash.putText('about src/deep.ts');
    const middle = stash.putMessages([marked(inner)], 0, 1);
    const outer = stash.putText(`covered by ${markerOf(middle)}`);
    const found = new Expander(stash).expansionFor([marked(outer)], uses('src/deep.ts'), counting);
    expect(found).toMatchObject({ keys: [outer, middle, inner], rounds: 3 });
  });

  it('ends where markers go in circles', () => {
    const stash = new Stash();
    const key = stash.putText('about src/one.ts');
    // A content that names its own key cannot be made, so the stash is told to hold one.
    const circle = new Stash();
    const own = user(`${markerOf(key)} about src/other.ts`);
    circle.refresh(key, [own], 0, 1);
    const expander = new Expander(circle);
    expect(expander.expansionFor([marked(key)], uses('src/gone.ts'), counting)).toBeUndefined();
    expect(expander.expansionFor([marked(key)], uses('src/other.ts'), counting)?.keys).toEqual([
      key,
    ]);
  });

  it('costs the calls and the content, as the model reads it', () => {
    const stash = new Stash();
    const long = `src/one.ts ${'word '.repeat(500)}`;
    const asText = stash.putText(long);
    const asMessage = stash.putMessages([user(long)], 0, 1);
    const tokens = [asText, asMessage].map(
      (key) =>
        new Expander(stash).expansionFor([marked(key)], uses('src/one.ts'), counting)?.tokens,
    );
    for (const cost of tokens) {
      expect(cost).toBeGreaterThan(500);
      expect(cost).toBeLessThan(560);
    }
  });
});

describe('a replay', () => {
  /** Reads a file, works on others until it is masked, then uses a name that only the first output had. */
  async function recorded(): Promise<Transcript> {
    const call = (id: string, path: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id, type: 'function', function: { name: 'open', arguments: JSON.stringify({ path }) } },
      ],
    });
    const output = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
    const traj: object[] = [{ role: 'user', content: 'Find the owner.' }];
    const filler = 'all of this is in order here\n'.repeat(60);
    traj.push(call('a', 'list'), output('a', `${filler}owner-file-77.json\n`));
    for (let turn = 0; turn < 5; turn++) {
      traj.push(call(`b${turn}`, 'list'), output(`b${turn}`, `${turn} ${filler}`));
    }
    traj.push(call('c', 'owner-file-77.json'), output('c', 'done'));
    traj.push(call('d', 'owner-file-77.json'), output('d', 'done'));
    traj.push({ role: 'assistant', content: 'It is done.' });
    const folder = temporaryFolder();
    writeTrajectories(`${folder}/one.json`, [{ task: 'one', reward: 1, traj }]);
    const [transcript] = await readAll(['.'], folder);
    if (transcript === undefined) throw new Error('no data');
    return transcript;
  }

  async function row(config: Config, expand: boolean) {
    const transcript = await recorded();
    const models = () => () => undefined;
    const options = { tokenizer: 'o200k_base', models, sample: 0, expand } as const;
    const replay = await replayTranscript(transcript, config, options);
    const labels = {
      sample: 0,
      cellId: 'x',
      model: 'none',
      tokenizer: 'o200k_base',
      wallSeconds: 0,
    } as const;
    return { replay, cell: measuredCell({ transcript, config, ...labels }, replay) };
  }

  it('puts back what an action needs for that one request, each time, and charges it', async () => {
    const [mask] = await configsNamed('cg-mask');
    if (mask === undefined) throw new Error('no config');
    const off = await row(mask, false);
    const on = await row(mask, true);
    expect(off.cell.expands).toBe(0);
    expect(off.cell.netSaved).toBe(off.cell.uniqueSaved);
    const served = on.replay.requests.filter(({ expansion }) => expansion !== undefined);
    // The second use finds the name in the call before it.
    expect(served).toHaveLength(1);
    const [restored] = served.map(({ expansion }) => expansion?.tokens ?? 0);
    expect(restored).toBeGreaterThan(400);
    expect(on.cell.expands).toBe(1);
    expect(on.cell.uniqueSaved).toBe(off.cell.uniqueSaved);
    expect(on.cell.netSaved).toBe(
      (on.cell.uniqueSaved ?? 0) - (restored ?? 0) - declarationTokens('o200k_base'),
    );
    expect(on.cell.tokensAfter).toBe((off.cell.tokensAfter ?? 0) + (restored ?? 0));
    expect(on.cell.overcountRatio).toBeLessThan(off.cell.overcountRatio ?? 0);
  });

  it('serves nothing where the tool is not declared', async () => {
    const [mask] = await configsNamed('cg-mask');
    if (mask === undefined) throw new Error('no config');
    const { cell, replay } = await row({ ...mask, inject: 'never' }, true);
    expect(cell.expands).toBe(0);
    expect(cell.netSaved).toBe(cell.uniqueSaved);
    expect(replay.declaration).toBeUndefined();
  });
});

describe('the tool is declared', () => {
  const bound = async (name: string, settings: object) => {
    const { catalog } = await import('../../src/compaction/catalog.ts');
    const outcome = catalog.get(name)?.bind(name, settings);
    if (outcome?.ok !== true) throw new Error(name);
    return outcome.bound;
  };

  it('by auto if something can be stashed, else as the config says', async () => {
    const full = await bound('mask', {});
    const summary = await bound('mask', { marker_mode: 'summary' });
    const external = await bound('external', { command: 'cat' });
    expect(declaresExpand({ steps: [] })).toBe(false);
    expect(declaresExpand({ steps: [full] })).toBe(true);
    expect(declaresExpand({ steps: [summary, external] })).toBe(false);
    expect(declaresExpand({ steps: [summary, full] })).toBe(true);
    expect(declaresExpand({ steps: [], inject: 'always' })).toBe(true);
    expect(declaresExpand({ steps: [full], inject: 'never' })).toBe(false);
  });

  it('and costs what its declaration takes', () => {
    expect(declarationTokens('o200k_base')).toBeGreaterThan(40);
    expect(declarationTokens('o200k_base')).toBeLessThan(200);
  });
});
