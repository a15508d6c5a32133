import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cli, onlyFile } from '../../commands/cli.ts';
import { chromiumPath, ifChromium } from '../../support/chromium.ts';
import { temporaryFolder } from '../../support/folder.ts';

const folder = temporaryFolder();
const file = join(folder, 'report.html');

/** What a page said and asked for while it was open. */
interface Opened {
  readonly page: Page;
  readonly said: string[];
  readonly asked: string[];
}

describe.skipIf(chromiumPath === undefined)(`the report in a browser${ifChromium}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    const runs = join(folder, 'runs');
    const swept = await cli('sweep', '--config', 'cg-summarize,cg-mask', '--out', runs);
    expect(swept.code).toBe(0);
    const { code } = await cli('report', onlyFile(runs, '.csv'), '--out', file);
    expect(code).toBe(0);
    browser = await chromium.launch({
      ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
      args: ['--no-sandbox'],
    });
  }, 240_000);

  afterAll(async () => {
    await browser?.close();
  });

  async function open(hash = '', options: Parameters<Browser['newPage']>[0] = {}): Promise<Opened> {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 900 },
      // Scrolling that goes on would move what is clicked.
      reducedMotion: 'reduce',
      ...options,
    });
    const [said, asked]: string[][] = [[], []];
    page.on('console', (message) => said?.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => said?.push(`error: ${error.message}`));
    page.on('request', (request) => asked?.push(request.url()));
    await page.goto(`${pathToFileURL(file).href}${hash}`);
    return { page, said: said ?? [], asked: asked ?? [] };
  }

  const bodyRows = (page: Page) => page.locator('#rows-table tbody tr');

  test('says nothing on the console and asks for nothing but itself', async () => {
    const { page, said, asked } = await open();
    await page.mouse.wheel(0, 20_000);
    await page.locator('details.behind').first().click();
    await page.waitForTimeout(200);
    expect(said).toEqual([]);
    expect(asked).toEqual([pathToFileURL(file).href]);
    await page.close();
  });

  test.each([1280, 390])('at %d px nothing but tables is wider than the page', async (width) => {
    const { page } = await open('', { viewport: { width, height: 844 } });
    const widths = await page.evaluate(
      'Array.from(document.querySelectorAll("body *")).filter((one) => !one.closest(".scroll") && !one.closest("nav") && !one.closest("svg") && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 80))',
    );
    expect(widths).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await page.close();
  });

  test('a figure links to its rows; they are filtered, and the filter can be taken off', async () => {
    const { page, said } = await open();
    expect(await bodyRows(page).count()).toBe(30);
    await page.locator('#headline tbody tr', { hasText: 'cg-mask' }).locator('td a').nth(4).click();
    await page.locator('#rows-conditions button').nth(1).waitFor();
    const found = await page.locator('#rows-conditions button').allTextContents();
    expect(found).toEqual(['config = cg-mask ×', 'evidence_lost > 0 ×']);
    await page.locator('#rows-conditions button').nth(1).click();
    expect(await bodyRows(page).count()).toBe(10);
    for (const text of await bodyRows(page).locator('td:nth-child(2)').allTextContents()) {
      expect(text).toBe('cg-mask');
    }
    await page.locator('#rows-clear').click();
    expect(await bodyRows(page).count()).toBe(30);
    await page.locator('#rows-search').fill('subtitle');
    expect(await bodyRows(page).count()).toBe(3);
    await page.locator('#rows-config').selectOption('baseline');
    expect(await bodyRows(page).count()).toBe(1);
    expect(said).toEqual([]);
    await page.close();
  });

  test('tables sort, both ways, by figure and by name', async () => {
    const { page } = await open();
    const column = async () =>
      (await bodyRows(page).locator('td:nth-child(4)').allTextContents()).map((text) =>
        Number(text.replaceAll(',', '')),
      );
    const sort = page.locator('#rows-table thead button', { hasText: 'gw_before' });
    await sort.click();
    const down = await column();
    expect(down).toEqual(down.toSorted((a, b) => b - a));
    await sort.click();
    expect(await column()).toEqual(down.toReversed());
    expect(await page.locator('#rows-table th[aria-sort]').getAttribute('aria-sort')).toBe(
      'ascending',
    );
    const headline = page.locator('#headline table');
    await headline.locator('thead button', { hasText: 'net saved' }).click();
    const net = (await headline.locator('tbody td:nth-child(3)').allTextContents()).map((text) =>
      Number(text.replaceAll(',', '')),
    );
    expect(net).toEqual(net.toSorted((a, b) => b - a));
    expect(new Set(net).size).toBeGreaterThan(2);
    await page.close();
  });

  test('a cell opens before and after, with search and filters, and closes again', async () => {
    const { page, said } = await open('#rows?config%3Dcg-mask');
    await page.locator('#rows-conditions button').waitFor();
    await bodyRows(page).first().locator('a').click();
    const dialog = page.locator('dialog');
    await dialog.waitFor();
    expect(await page.locator('#cell-title').textContent()).toContain('under cg-mask');
    await page.locator('#cell-request').selectOption('9');
    const messages = page.locator('.messages > li');
    const changed = await messages.count();
    expect(changed).toBeGreaterThan(2);
    await page.locator('#cell-fate').selectOption('');
    const all = await messages.count();
    expect(all).toBeGreaterThan(changed);
    await page.locator('#cell-fate').selectOption('r');
    await messages.first().locator('summary').click();
    await messages.first().locator('.line.removed').first().waitFor();
    expect(await messages.first().locator('.line.added').allTextContents()).toContainEqual(
      expect.stringContaining('output masked'),
    );
    await page.locator('#cell-fate').selectOption('');
    await page.locator('#cell-search').fill('transport.mjs');
    expect(await messages.count()).toBeLessThan(all);
    expect(await page.locator('.messages mark').first().textContent()).toBe('transport.mjs');
    // In a search field with a text the key clears it first.
    await page.locator('#cell-title').focus();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(page.url()).toContain('#rows?config%3Dcg-mask');
    expect(said).toEqual([]);
    await page.close();
  });

  test('a chart’s point leads to its rows, a dot of a cell to the cell', async () => {
    const { page } = await open();
    await page.locator('#evidence .wide a[href*="cg-mask"]').first().click({ force: true });
    await page.locator('#rows-conditions button').waitFor();
    expect(page.url()).toContain('#rows?');
    await page.locator('#spread .wide a').first().click({ force: true });
    await page.locator('dialog').waitFor();
    await page.close();
  });

  test('the theme follows the system, and the switch goes before it', async () => {
    const { page } = await open('', { colorScheme: 'dark' });
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await ground();
    const light = await open('', { colorScheme: 'light' });
    expect(await light.page.evaluate('getComputedStyle(document.body).backgroundColor')).not.toBe(
      dark,
    );
    await page.locator('#theme').click();
    expect([await page.locator('#theme').textContent(), await ground()]).toEqual([
      'Theme: dark',
      dark,
    ]);
    await page.locator('#theme').click();
    expect(await page.locator('#theme').textContent()).toBe('Theme: light');
    expect(await ground()).not.toBe(dark);
    await page.close();
    await light.page.close();
  });

  test('all of it can be used by keyboard', async () => {
    const { page } = await open('#rows');
    await page.locator('#rows-search').focus();
    await page.keyboard.type('cg-mask');
    await page.locator('#rows-table thead button').first().focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('#rows-table th[aria-sort]').count()).toBe(1);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('task');
    await bodyRows(page).first().locator('a').focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('cell-title');
    await page.locator('#cell-next').focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('cell-next');
    await page.locator('.messages summary').first().focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('.messages details[open]').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'hidden' });
    await page.close();
  });

  test.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('axe finds nothing serious in the %s theme at %d px', async (colorScheme, width) => {
    const options = { colorScheme, viewport: { width, height: 900 }, bypassCSP: true };
    const { page } = await open('', options);
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    const serious = async () => {
      await page.evaluate(axe.source);
      const found = (await page.evaluate('axe.run()')) as axe.AxeResults;
      expect(found.passes.length).toBeGreaterThan(10);
      return found.violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(
          ({ id, nodes }) =>
            `${id}: ${nodes[0]?.html.slice(0, 160)} ${nodes[0]?.failureSummary ?? ''}`,
        );
    };
    expect(await serious()).toEqual([]);
    await page.evaluate('location.hash = "#cell?4&9"');
    await page.locator('dialog[open]').waitFor();
    await page.locator('.messages summary').first().click();
    expect(await serious()).toEqual([]);
    await page.close();
  });
});
