import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { HarnessError } from '../../src/errors.ts';
import { listZip, readZipEntry } from '../../src/recordings/archive.ts';
import { cli } from '../commands/cli.ts';
import { jsonl, readAll, readFiles } from '../recordings/support.ts';
import { temporaryFolder } from '../support/folder.ts';
import { measuredProgram } from '../support/measured-program.ts';

const folder = temporaryFolder();
const at = (name: string) => join(folder, name);
const body = { model: 'gpt-4.1', messages: [{ role: 'user', content: 'go' }] };
const log = jsonl(body);

/** Writes a piece many times without holding it all. */
function writeRepeated(
  name: string,
  head: string,
  piece: string | Uint8Array,
  times: number,
  tail = '',
): string {
  const file = openSync(at(name), 'w');
  writeSync(file, head);
  for (let count = 0; count < times; count++) {
    if (typeof piece === 'string') writeSync(file, piece);
    else writeSync(file, piece);
  }
  writeSync(file, tail);
  closeSync(file);
  return at(name);
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof HarnessError) return error.code;
    throw error;
  }
  return 'none';
}

describe('archives', () => {
  test('10 GB in a gzip file of 16 MB is an error that names the limit, in bounded memory', async () => {
    // Members that follow each other are one content.
    const member = gzipSync(Buffer.alloc(2 ** 26, '{"a":1}\n'), { level: 9 });
    const bomb = writeRepeated('bomb.jsonl.gz', '', member, 160);
    const { code, stderr, usage } = await measuredProgram(['import', '--list', bomb]);
    expect(code).toBe(2);
    expect(stderr).toContain('bomb.jsonl.gz: the file unpacks to more than 536870912 bytes');
    // What is unpacked up to the limit, and the program.
    expect(usage?.memoryMb).toBeLessThan(2 * 512 + 250);
    expect(usage?.cpuSeconds).toBeLessThan(30);
  });

  test('an archive in an archive is not opened, and does not hide what stands beside it', async () => {
    const inner = zipSync({ 'a.jsonl': Buffer.from(log) });
    const outer = zipSync({ 'inner.zip': inner, 'b.jsonl': Buffer.from(log) });
    const { transcripts, problems } = await readFiles({ 'x.zip': outer }, ['x.zip']);
    expect(transcripts.map(({ source }) => source.file)).toEqual(['x.zip!/b.jsonl']);
    expect(problems).toMatchObject([{ at: { file: 'x.zip!/inner.zip' } }]);
  });

  /** The archive with a field of every entry of its list, or of its end, overwritten. */
  function damaged(
    bytes: Uint8Array,
    signature: number,
    offset: number,
    value: number,
    wide: boolean,
  ): string {
    const copy = Buffer.from(bytes);
    for (let place = 0; place + 4 <= copy.length; place++) {
      if (copy.readUInt32LE(place) !== signature) continue;
      if (wide) copy.writeUInt32LE(value, place + offset);
      else copy.writeUInt16LE(value, place + offset);
    }
    writeFileSync(at('lying.zip'), copy);
    return at('lying.zip');
  }

  const [central, end] = [0x02014b50, 0x06054b50];
  const packed = zipSync({ 'a.jsonl': Buffer.from(log.repeat(200)), 'b.jsonl': Buffer.from(log) });
  test.each([
    ['a size of 0', central, 24, 0, true],
    ['a size of 4 GB', central, 24, 0xfffffffe, true],
    ['a packed size of 4 GB', central, 20, 0xfffffffe, true],
    ['a packed size of 0', central, 20, 0, true],
    ['entries that lie on each other', central, 42, 0, true],
    ['entries behind the end', central, 42, 0x7fffffff, true],
    ['a name of 65,535 bytes', central, 28, 0xffff, false],
    ['65,534 entries', end, 10, 0xfffe, false],
    ['a list of 4 GB', end, 12, 0xfffffffe, true],
    ['a list behind the end', end, 16, 0xfffffff0, true],
  ])('%s that an archive tells is found out, or harmless', (_, signature, offset, value, wide) => {
    const path = damaged(packed, signature, offset, value, wide);
    const code = codeOf(() => {
      for (const entry of listZip(path)) readZipEntry(path, entry, 10_000_000);
    });
    expect(['none', 'input.archive', 'input.size']).toContain(code);
  });
});

const hasFifo = process.platform !== 'win32' && existsSync('/dev/zero');
describe.skipIf(!hasFifo)(`pipes and devices${hasFifo ? '' : ' (skipped: no mkfifo)'}`, () => {
  test('are refused wherever a file is named, without being opened', async () => {
    execFileSync('mkfifo', [
      at('pipe'),
      at('pipe.yaml'),
      at('pipe.csv'),
      at('pipe.manifest.json'),
      at('pipe.stash.jsonl'),
    ]);
    const sweep = ['sweep', '--config', 'cg-mask', '--out', at('none')];
    const commands = [
      [...sweep, '--transcripts', at('pipe')],
      [...sweep, '--transcripts', '/dev/zero'],
      [...sweep, '--prices', at('pipe')],
      [...sweep, '--prices', '/dev/zero'],
      [...sweep, '--model', 'replay', '--cassette', at('pipe')],
      [...sweep, '--model', 'replay', '--cassette', '/dev/zero'],
      ['sweep', '--config', at('pipe.yaml'), '--dry-run'],
      ['import', at('pipe'), '--out', at('none')],
      ['import', '--redact', '--redact-key', '/dev/zero', '--out', at('none'), 'fixtures'],
      ['import-rewards', at('pipe.csv')],
      ['import-rewards', '/dev/zero'],
      ['report', at('pipe.csv')],
      ['validate', at('pipe')],
      ['validate', '/dev/zero', '--dialect', 'anthropic'],
      ['expand', '0123456789abcdef', '--run', at('pipe.csv')],
      ['merge', at('pipe.csv'), at('pipe.csv')],
    ];
    for (const words of commands) {
      const { code, stdout, stderr } = await cli(...words);
      expect([words, code]).toEqual([words, 2]);
      expect(`${stdout}${stderr}`).toMatch(/a pipe|a device|expected a file or a folder/);
    }
  });
});

describe('folders and names', () => {
  test('links in circles, to themselves and to nothing end no walk', async () => {
    const home = at('circles');
    mkdirSync(join(home, 'inner'), { recursive: true });
    writeFileSync(join(home, 'inner', 'a.jsonl'), log);
    symlinkSync('..', join(home, 'inner', 'up'));
    symlinkSync('self.jsonl', join(home, 'self.jsonl'));
    symlinkSync('nothing', join(home, 'nothing.jsonl'));
    const read = await readAll(['.', './**/*.jsonl'], { cwd: home });
    expect(read.transcripts).toHaveLength(1);
    expect(read.problems).toEqual([]);
    const { problems } = await readAll(['self.jsonl'], { cwd: home });
    expect(problems).toMatchObject([{ code: 'input.missing', at: { file: 'self.jsonl' } }]);
  });

  test('a name longer than any file has is missing, and the longest that one has is read', async () => {
    const { problems } = await readAll(['x'.repeat(5000), `${'y/'.repeat(2500)}z`], {
      cwd: folder,
    });
    expect(problems.map(({ code }) => code)).toEqual(['input.missing', 'input.missing']);
    const longest = `${'n'.repeat(249)}.jsonl`;
    writeFileSync(at(longest), log);
    const out = at('long');
    const { code } = await cli(
      'sweep',
      '--config',
      'cg-mask',
      '--transcripts',
      at(longest),
      '--out',
      out,
    );
    expect(code).toBe(0);
    expect((await cli('import', at(longest), '--out', at('imported'))).code).toBe(0);
  });

  test('a folder of 20,000 files that hold nothing is read', async () => {
    const home = at('many');
    mkdirSync(home);
    for (let index = 0; index < 20_000; index++) writeFileSync(join(home, `${index}.json`), '');
    writeFileSync(join(home, 'a.jsonl'), log);
    const read = await readAll(['.'], { cwd: home });
    expect(read.transcripts).toHaveLength(1);
    expect(read.problems).toHaveLength(20_000);
  });
});

describe('files that are too large for what they should be', () => {
  test.each([
    ['prices', ['sweep', '--config', 'cg-mask', '--prices']],
    ['a config', ['sweep', '--dry-run', '--config']],
    ['rewards', ['import-rewards']],
    ['rows', ['report']],
  ])('3 GB of %s are refused by their size', async (name, words) => {
    const file = at('sparse.yaml');
    writeFileSync(file, 'a');
    truncateSync(file, 3_000_000_000);
    const { code, stderr } = await cli(...words, file);
    expect([name, code]).toEqual([name, 2]);
    expect(stderr).toMatch(/found 3000000000 bytes, at most \d+ are read/);
  });

  test('a cell of 200 MB in a table of rewards is an error of its line, in bounded memory', async () => {
    const head = 'task,config,reward\na,baseline,1\n"';
    const table = writeRepeated('cell.csv', head, 'x'.repeat(1_000_000), 200, '",baseline,1\n');
    const { code, stderr, usage } = await measuredProgram(['import-rewards', table]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/cell\.csv: not a CSV table: Max Record Size: .* 1048576 at line 3/);
    expect(usage?.memoryMb).toBeLessThan(6 * 200 + 150);
  });

  test('a line of 300 MB in a cassette is an error of its line, in bounded memory', async () => {
    const cassette = writeRepeated('long.cassette', '{"key":"', 'x'.repeat(1_000_000), 300, '"}\n');
    const words = ['sweep', '--config', 'cg-summarize', '--model', 'replay', '--out', at('none')];
    const { code, stderr, usage } = await measuredProgram([...words, '--cassette', cassette]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/long\.cassette:1: found a line of more than 268435456 bytes/);
    expect(usage?.memoryMb).toBeLessThan(6 * 300 + 150);
  });
});
