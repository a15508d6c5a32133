import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { markersIn } from '../../src/compaction/stash.ts';
import { readRows } from '../../src/rows/csv.ts';
import { readManifest } from '../../src/sweep/manifest.ts';
import { runFiles } from '../../src/sweep/run-files.ts';
import { readReferences } from '../../src/sweep/stash-index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { chat, writeRecordings, writeTrajectories } from '../support/sweeps.ts';
import { cli, onlyFile } from './cli.ts';

const recordings = temporaryFolder();
writeRecordings(recordings, 1);

/** The same output again and again. */
const repeating = temporaryFolder();
const [system, user, ...turns] = chat('module-0', 6, 400);
const same = 'value 0 of module-0 is in order here\n'.repeat(40);
writeTrajectories(join(repeating, 'one.json'), [
  {
    task: 0,
    reward: 1,
    traj: [system ?? {}, user ?? {}, ...turns].map((message) =>
      'tool_call_id' in message ? { ...message, content: same } : message,
    ),
  },
]);

/** Sweeps the recordings into a folder of its own. */
async function swept(...words: string[]) {
  const out = temporaryFolder();
  const result = await cli('sweep', ...words, '--transcripts', recordings, '--out', out);
  const csv = onlyFile(out, '.csv');
  return { ...result, csv, rows: await readRows(csv) };
}

function document(text: string): string {
  const file = join(temporaryFolder(), 'mine.yaml');
  writeFileSync(file, text);
  return file;
}

describe('sweep', () => {
  it('--controls adds the controls of equal budget to every config', async () => {
    const { code, rows } = await swept('--config', 'cg-mask,cg-collapse', '--controls');
    expect(code).toBe(0);
    expect(rows.map(({ config }) => config)).toEqual([
      'baseline',
      'cg-mask',
      'control-recency@cg-mask',
      'control-random_drop@cg-mask',
      'cg-collapse',
      'control-recency@cg-collapse',
      'control-random_drop@cg-collapse',
    ]);
  });

  it('--expand on is another cell, and is written down', async () => {
    const off = await swept('--config', 'cg-mask');
    const on = await swept('--config', 'cg-mask', '--expand', 'on');
    const named = await swept('--config', 'cg-mask', '--expand', 'off');
    const ids = (one: typeof on) => one.rows.map(({ cellId }) => cellId);
    expect(ids(named)).toEqual(ids(off));
    expect(new Set([...ids(off), ...ids(on)]).size).toBe(4);
    expect((await readManifest(runFiles(on.csv).manifest)).options.expand).toBe('on');
    const wrong = await cli('sweep', '--config', 'cg-mask', '--expand', 'maybe');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('on, off');
  });

  it('goes on where an external program crashes, and counts it by name', async () => {
    const file = document('pipeline: [external]\ncomponents: {external: {command: exit 3}}');
    const { code, rows } = await swept('--config', file);
    expect(code).toBe(0);
    expect(rows[1]?.note).toBe('ok');
    expect(rows[1]?.fired).toBe(0);
    expect(Object.fromEntries(rows[1]?.refusals ?? [])).toEqual({ 'external:exit': 3 });
    expect(Object.fromEntries(rows[1]?.gates ?? [])).toMatchObject({ failed_before: 10 });
  });

  it('runs an external program in the same table', async () => {
    const program = `const text = require('node:fs').readFileSync(0, 'utf8'); const body = JSON.parse(text); if (body.messages.length > 8) body.messages.splice(2, 4); process.stdout.write(JSON.stringify(body));`;
    const file = document(
      `pipeline: [external]\ncomponents:\n  external:\n    command: [node, -e, ${JSON.stringify(program)}]\n`,
    );
    const { rows } = await swept('--config', file);
    expect(rows[1]?.fired).toBeGreaterThan(5);
    expect(rows[1]?.uniqueSaved).toBeGreaterThan(700);
    expect(rows[1]?.violationsAdded).toBe(0);
  });

  it('runs a component of the user’s own by its path', async () => {
    const path = join(import.meta.dirname, '../support/components/keep-errors.ts');
    const file = document(`pipeline: [mine]\ncomponents: {mine: {use: ${path}}}`);
    const { rows, csv } = await swept('--config', file);
    expect(rows[1]?.fired).toBeGreaterThan(5);
    expect((await readManifest(runFiles(csv).manifest)).configs[1]?.text).toContain('use: ');
  });
});

describe('expand', () => {
  it('finds what mask, dedup, collapse and extract left out, byte for byte', async () => {
    for (const config of ['cg-mask', 'cg-dedup', 'cg-collapse', 'cg-extract']) {
      const settings = {
        'cg-mask': 'components.mask.keep_recent=1',
        'cg-dedup': 'components.dedup.min_tokens=10',
        'cg-collapse': 'components.collapse.max_tokens=100',
        'cg-extract': 'components.extract.min_tokens=50',
      }[config];
      const more = config === 'cg-dedup' ? ['--transcripts', repeating] : [];
      const { csv, rows } = await swept('--config', config, '--set', settings ?? '', ...more);
      const references = await readReferences(runFiles(csv).stash);
      expect(rows[1]?.fired, config).toBeGreaterThan(0);
      expect(references.length).toBeGreaterThan(0);
      for (const { key } of references.slice(0, 3)) {
        const { code, stdout } = await cli('expand', key, '--run', csv);
        expect(code).toBe(0);
        expect(stdout).toMatch(/^(?:value \d+ of module-0 is in order here\n)+$/);
      }
    }
  });

  it('--nested resolves markers inside of markers', async () => {
    const file = document(
      'pipeline: [mask, summarize]\ncomponents:\n  mask: {keep_recent: 1}\n  summarize: {min_tokens: 50, resummarize_tokens: 300}\n',
    );
    const { csv } = await swept('--config', file);
    const references = await readReferences(runFiles(csv).stash);
    const outer = references.findLast(({ kind, ...rest }) => {
      return kind === 'text' && 'form' in rest && rest.form === 'messages';
    });
    const key = outer?.key ?? '';
    const plain = await cli('expand', key, '--run', csv);
    expect(markersIn(plain.stdout).length).toBeGreaterThan(0);
    const nested = await cli('expand', key, '--nested', '--run', csv);
    expect(markersIn(nested.stdout)).toEqual([]);
    // What comes out are the recorded messages themselves.
    const [recording] = JSON.parse(readFileSync(join(recordings, 'recording-0.json'), 'utf8'));
    const messages: object[] = JSON.parse(nested.stdout);
    expect(messages.length).toBeGreaterThan(3);
    const first = recording.traj.findIndex(
      (message: object) => JSON.stringify(message) === JSON.stringify(messages[0]),
    );
    expect(messages).toEqual(recording.traj.slice(first, first + messages.length));
  });
});

describe('the page about components', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/own-component.md'), 'utf8');

  it('shows the example as it is, in thirty lines', () => {
    const file = join(import.meta.dirname, '../support/components/keep-errors.ts');
    const example = readFileSync(file, 'utf8');
    expect(page).toContain(`\`\`\`ts\n${example}\`\`\``);
    expect(example.trimEnd().split('\n')).toHaveLength(30);
  });
});
