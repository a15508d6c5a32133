import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'csv-parse/sync';
import { chromium } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, ifChromium } from '../support/chromium.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeTrajectories } from '../support/sweeps.ts';
import { cli, onlyFile } from './cli.ts';

const folder = temporaryFolder();
const report = join(folder, 'report.html');

const formula = "=cmd()|' /C calc'!A0";
const script = '</script></style></title><script>window.hostile = 1; alert(1)</script>';
const restyle = '</style><style>body{display:none!important}</style>';
const image = '<img src="https://example.com/pixel.png" onerror="window.hostile = 1">';
const link = '[click](javascript:window.hostile=1) <a href="javascript:window.hostile=1">x</a>';
const ansi = '\u001b[2J\u001b[31mred\u001b]0;title\u0007';
const turned = 'user\u202egpj.exe\u2066 zero\u200bwidth\u{e0041} half\ud800';
const secret = 'sk-proj-abcdefghij0123456789';
/** A name without a place to break it. */
const longName = `cg-mask_${'very_'.repeat(20)}long`;
const texts = [
  script,
  restyle,
  image,
  link,
  ansi,
  turned,
  `key ${secret}`,
  '{{constructor}} <%= 1 + 1 %> `x`',
];

/** Texts of every kind in every place that a recording has. */
function trajectory(): object[] {
  const messages: object[] = [
    { role: 'system', content: texts.join('\n') },
    { role: 'user', content: `Look at src/hostile-0.ts. ${texts.join(' ')}` },
  ];
  for (let turn = 0; turn < 10; turn++) {
    const id = `call_${turn}`;
    const args = JSON.stringify({
      path: `src/hostile-${turn}.ts`,
      note: texts[turn % texts.length],
    });
    messages.push({
      role: 'assistant',
      content: `${texts[turn % texts.length]}`,
      tool_calls: [
        {
          id,
          type: 'function',
          function: { name: `read_${turn % 2 === 0 ? 'a' : 'b'}`, arguments: args },
        },
      ],
    });
    const line = `line of src/hostile-${turn + 1}.ts ${texts[(turn + 3) % texts.length]}\n`;
    const long = turn === 2 ? `<script>${'x'.repeat(1_000_000)}` : line.repeat(60);
    messages.push({ role: 'tool', tool_call_id: id, content: long });
  }
  messages.push({ role: 'assistant', content: script });
  return messages;
}

const said = { sweep: '', show: '', report: '' };
let csv = '';
let html = '';

beforeAll(async () => {
  const recording = join(folder, 'hostile.json');
  const tasks = [formula, script, turned, ansi];
  writeTrajectories(
    recording,
    tasks.map((task) => ({ task, reward: 1, traj: trajectory() })),
  );
  const runs = join(folder, 'runs');
  const config = join(folder, `${longName}.yaml`);
  writeFileSync(config, 'preset: cg-mask\n');
  const words = ['--transcripts', recording, '--config', 'cg-mask,cg-summarize-small', config];
  const swept = await cli('sweep', ...words, '--out', runs);
  said.sweep = `${swept.stdout}${swept.stderr}`;
  csv = onlyFile(runs, '.csv');
  for (const more of [[], ['--request', '9'], ['--request', '9', '--block', '5'], ['--json']]) {
    const shown = await cli(
      'show',
      formula,
      '--transcripts',
      recording,
      '--config',
      'cg-mask',
      ...more,
    );
    said.show += `${shown.stdout}${shown.stderr}`;
  }
  const markdown = join(folder, 'summary.md');
  const reported = await cli(
    'report',
    csv,
    '--out',
    report,
    '--markdown',
    markdown,
    '--svg',
    join(folder, 'svg'),
  );
  expect(reported).toMatchObject({ code: 0 });
  said.report = `${reported.stdout}${reported.stderr}${readFileSync(markdown, 'utf8')}`;
  html = readFileSync(report, 'utf8');
}, 240_000);

/** What acts on a terminal or turns, hides or joins text. */
const acting =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

describe('a recording that is hostile', () => {
  test.each(['sweep', 'show', 'report'] as const)(
    '%s prints nothing that a terminal obeys',
    (name) => {
      expect(said[name].length).toBeGreaterThan(200);
      expect(said[name]).not.toMatch(acting);
      expect(said[name].isWellFormed()).toBe(true);
      expect(said.show).not.toContain(secret);
    },
  );

  test('no cell of the CSV is a formula, breaks its line or hides text', () => {
    const text = readFileSync(csv, 'utf8');
    const rows: string[][] = parse(text);
    expect(rows.length).toBe(1 + 4 * 4);
    expect(text.trimEnd().split('\n')).toHaveLength(rows.length);
    for (const cell of rows.slice(1).flat()) {
      if (!Number.isFinite(Number(cell))) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
      expect(cell).not.toMatch(/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/);
    }
    expect(rows.flat()).toContain(`'${formula}`);
  });

  test('the page holds it as text that is seen, without the secret, and cut where it is long', () => {
    expect(html).not.toMatch(acting);
    expect(html.isWellFormed()).toBe(true);
    expect(html).toContain('\\\\u202egpj.exe');
    expect(html).toContain('zero\\\\u200bwidth');
    expect(html).toContain('\\\\u001b[2J');
    expect(html).not.toContain(secret);
    expect(html).toContain('[api-key#');
    expect(html).toContain('characters left out of this report');
    expect(html.length).toBeLessThan(3_000_000);
    expect(html.match(/<script/g)).toHaveLength(html.match(/<\/script>/g)?.length ?? 0);
    expect(html.match(/<\/style>/g)).toHaveLength(1);
  });

  test('--no-redact shows secrets as recorded', async () => {
    const out = join(folder, 'open.html');
    await cli('report', csv, '--out', out, '--no-redact');
    expect(readFileSync(out, 'utf8')).toContain(secret);
  });
});

describe.skipIf(chromiumPath === undefined)(`in a browser${ifChromium}`, () => {
  test('nothing of it runs, loads or restyles the page, and all of it can be read', async () => {
    const browser = await chromium.launch({
      ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
      args: ['--no-sandbox'],
    });
    try {
      const page = await browser.newPage();
      const events: string[] = [];
      page.on('console', (message) => events.push(message.text()));
      page.on('pageerror', (error) => events.push(error.message));
      page.on('dialog', (dialog) => events.push(dialog.message()));
      page.on('request', (request) => events.push(request.url()));
      const failed: string[] = [];
      page.on('requestfailed', (request) => {
        failed.push(`${request.url()} ${request.failure()?.errorText}`);
      });
      const { href } = pathToFileURL(report);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(href);
      await page.evaluate(
        'for (const one of document.querySelectorAll("details")) one.open = true',
      );
      expect(await page.locator('#headline').textContent()).toContain(longName);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      await page.setViewportSize({ width: 1280, height: 844 });
      expect(await page.title()).toContain('Compaction report');
      expect(await page.locator('#headline table').isVisible()).toBe(true);
      expect(await page.locator('#rows-table tbody tr').first().textContent()).toContain(formula);
      await page.evaluate('location.hash = "#cell?1&9"');
      await page.locator('#cell-fate').selectOption('');
      for (const summary of await page.locator('.messages summary').all()) await summary.click();
      const read = await page.locator('.messages').textContent();
      for (const part of [script, restyle, image, link]) expect(read).toContain(part);
      expect(read).toContain('\\u001b[2J\\u001b[31mred');
      expect(await page.locator('a[href^="javascript"], .messages a, .messages img').count()).toBe(
        0,
      );
      await page.locator('#cell-search').fill('<script>');
      expect(await page.locator('.messages mark').first().textContent()).toBe('<script>');
      expect(await page.evaluate('window.hostile')).toBe(undefined);
      expect(events).toEqual([href]);
      // The policy by itself stops what our own code would let through.
      await page.evaluate(
        'try { document.body.innerHTML += "<img src=x>" } catch (error) { window.stopped = error.name }',
      );
      expect(await page.evaluate('window.stopped')).toBe('TypeError');
      events.length = 0;
      await page.evaluate(
        'const image = document.createElement("img"); image.src = "https://example.com/x"; document.body.append(image)',
      );
      await page.waitForTimeout(200);
      expect(failed).toEqual(['https://example.com/x csp']);
      expect(events.join()).toContain('Content Security Policy');
    } finally {
      await browser.close();
    }
  }, 240_000);
});
