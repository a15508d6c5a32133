import { createHash } from 'node:crypto';
import vm from 'node:vm';
import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { pageScript, styleSheet } from '../../../src/report/html/assets.ts';
import { conditionText } from '../../../src/report/html/links.ts';
import { dataBlock, element, escapeJson } from '../../../src/report/html/markup.ts';
import { renderReport } from '../../../src/report/html/page.ts';
import { awkwardText } from '../../support/cell-results.ts';
import { runRow } from '../../support/rows.ts';
import { reportInput } from './report-inputs.ts';

const hostile =
  '</script><script>alert(1)</script><style>*{display:none}</style>"\'><img src=x onerror=alert(1)>';

/** Everything in a page that could run, load or restyle, other than its own script and style sheet. */
function dangers(html: string): string[] {
  const { document } = parseHTML(html);
  const found: string[] = [];
  for (const one of document.querySelectorAll('*')) {
    const name = one.localName;
    if (['iframe', 'object', 'embed', 'img', 'link', 'base', 'form', 'video'].includes(name)) {
      found.push(`element ${name}`);
    }
    for (const { name: key, value } of one.attributes) {
      if (/^on|^style$|^src$|^srcset$/.test(key)) found.push(`attribute ${key}`);
      if (/href$/.test(key) && !value.startsWith('#')) found.push(`link ${value}`);
    }
  }
  const scripts = [...document.querySelectorAll('script:not([type="application/json"])')];
  if (scripts.length !== 1) found.push(`${scripts.length} scripts`);
  if (document.querySelectorAll('style').length !== 1) found.push('another style sheet');
  return found;
}

describe('the page', () => {
  const input = reportInput([
    runRow('task', 'baseline'),
    runRow('task', hostile, { note: hostile }),
  ]);

  test('lets nothing act but its own script and style sheet, by their hashes', () => {
    const { html } = renderReport(input);
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    const hash = (text: string) => createHash('sha256').update(text).digest('base64');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src 'sha256-${hash(pageScript())}'`);
    expect(policy).toContain(`style-src 'sha256-${hash(styleSheet())}'`);
    expect(policy).not.toContain('unsafe');
    expect(html).toContain(`<script>${pageScript()}</script>`);
    expect(html).toContain(`<style>${styleSheet()}</style>`);
  });

  test('shows hostile names as text', () => {
    const { html } = renderReport(input);
    expect(dangers(html)).toEqual([]);
    expect(html).not.toContain('<script>alert');
    expect(parseHTML(html).document.querySelector('#headline tbody')?.textContent).toContain(
      hostile,
    );
  });

  test('is the same of any texts', () => {
    fc.assert(
      fc.property(awkwardText, awkwardText, awkwardText, (task, config, name) => {
        const row = runRow(task, config, { gates: new Map([[name, 2]]), note: 'ok' });
        const { html } = renderReport(reportInput([runRow(task, 'baseline'), row]));
        expect(dangers(html)).toEqual([]);
      }),
      { numRuns: 25, seed: 7 },
    );
  });

  test('the check of dangers finds each', () => {
    const { html } = renderReport(input);
    for (const danger of [
      '<p onclick="x()">',
      '<p style="color:red">',
      '<a href="javascript:alert(1)">x</a>',
      '<img src="https://example.com/x">',
      '<script>alert(1)</script>',
      '<style>*{}</style>',
      '<a href="https://example.com">x</a>',
    ]) {
      expect(dangers(html.replace('<main>', `<main>${danger}`)), danger).not.toEqual([]);
    }
  });

  test('a report has every section, also of rows that measured nothing', () => {
    const bare = { tokensBefore: undefined, evidenceTotal: undefined, recordedReward: undefined };
    const rows = [runRow('a', 'baseline', bare), runRow('a', 'other', { ...bare, fired: 0 })];
    const { html, charts } = renderReport(reportInput(rows));
    const ids = [...parseHTML(html).document.querySelectorAll('section')].map(({ id }) => id);
    expect(ids).toEqual(
      'headline evidence sessions cost sources spread gates violations agreement rows about'.split(
        ' ',
      ),
    );
    expect(html).toContain('Not measured.');
    expect(charts).toEqual([]);
  });

  test('every figure of the headline links to its rows', () => {
    const { document } = parseHTML(renderReport(input).html);
    const cells = [...document.querySelectorAll('#headline tbody td:not(.left)')];
    expect(cells.length).toBeGreaterThan(10);
    for (const cell of cells) {
      if (!/\d/.test(cell.textContent ?? '')) continue;
      expect(cell.querySelector('a')?.getAttribute('href')).toMatch(/^#rows\?/);
    }
  });

  test('every chart has a table behind it, or beside it', () => {
    const { document } = parseHTML(renderReport(input).html);
    for (const figure of document.querySelectorAll('figure')) {
      expect(figure.closest('section')?.querySelector('table')).not.toBeNull();
    }
  });
});

describe('a parameter sweep', () => {
  test('has a heat map for each pair of keys', () => {
    const configs = [1, 3, 5].flatMap((keep) =>
      [100, 200].map((least) => ({ name: `m:${keep},${least}`, keep, least })),
    );
    const rows = [
      runRow('a', 'baseline'),
      ...configs.map(({ name, keep }) => runRow('a', name, { tokensAfter: 100 * keep })),
    ];
    const documents = configs.map(({ name, keep, least }) => ({
      name,
      about: '',
      source: 'sweeps/m.yaml',
      text: `pipeline: [mask]\ncomponents:\n  mask:\n    keep_recent: ${keep}\n    min_tokens: ${least}\n`,
    }));
    const { html, charts } = renderReport({ ...reportInput(rows), configs: documents });
    expect(charts.map(({ name }) => name).filter((name) => name.startsWith('heat'))).toEqual([
      'heat-m-1-saved',
      'heat-m-1-kept',
    ]);
    const settings = parseHTML(html).document.querySelector('#settings');
    expect(settings?.querySelectorAll('figure .wide a').length).toBe(12);
    expect(settings?.textContent).toContain('mask.keep_recent');
  });
});

describe('markup', () => {
  test('a block of data reads back, whatever is in it, and cannot end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const value = { text, hostile };
        const json = JSON.stringify(value);
        expect(JSON.parse(escapeJson(json))).toEqual(value);
        const body = dataBlock('x', json).html.replace(/^<script[^>]*>|<\/script>\n$/g, '');
        expect(body).not.toMatch(/[<>&]/);
      }),
    );
  });

  test('takes no attribute that acts, and no link out of the page', () => {
    expect(() => element('p', { onclick: 'x()' })).toThrow('no place');
    expect(() => element('p', { style: 'color:red' })).toThrow('no place');
    expect(() => element('a', { href: 'javascript:alert(1)' })).toThrow('only to itself');
    expect(() => element('a', { href: 'https://example.com' })).toThrow('only to itself');
  });
});

describe('the script', () => {
  const source = pageScript();

  test('is one program without modules, and its names stand once', () => {
    expect(() => new vm.Script(source)).not.toThrow();
    expect(source).not.toMatch(/^\s*(?:import|export)\b/m);
    const [statement] = ts.createSourceFile(
      'x.js',
      source,
      ts.ScriptTarget.ES2022,
      true,
    ).statements;
    const names: string[] = [];
    const body = statement?.getText() ?? '';
    for (const match of body.matchAll(/^(?:const|let|function) (?:\{[^}]*\}|\[[^\]]*\]|(\w+))/gm)) {
      if (match[1] !== undefined) names.push(match[1]);
    }
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('makes no markup of a text, and asks for nothing', () => {
    expect(source).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|fetch\(|XMLHttpRequest|WebSocket|import\(|\.src\b/,
    );
  });

  test('reads the conditions that links have', () => {
    const match = /\/\^\(\[a-z0-9_\]\+\)\(\[=<>~\]\)\(\.\*\)\$\/s/.exec(source);
    expect(match).not.toBeNull();
    expect(
      /^([a-z0-9_]+)([=<>~])(.*)$/s.exec(conditionText(['config', '=', 'a=b>c']))?.slice(1),
    ).toEqual(['config', '=', 'a=b>c']);
  });
});
