import { columnList } from '../../rows/columns.ts';
import { thousands } from '../numbers.ts';
import { contentPolicy, pageScript, styleSheet } from './assets.ts';
import { rowsLink } from './links.ts';
import { dataBlock, element, joined, type Markup, trusted } from './markup.ts';
import { type ReportConfig, type ReportInput, type ReportRun, unfinished } from './report-input.ts';
import { rowsData } from './rows-data.ts';
import { behind, bulletList, type Chart, type Section } from './section.ts';
import { agreementSection } from './sections/agreement.ts';
import { evidenceSection } from './sections/evidence.ts';
import { gatesSection, violationsSection } from './sections/gates.ts';
import { headlineSection } from './sections/headline.ts';
import { sessionsSection } from './sections/sessions.ts';
import { settingsSection } from './sections/settings.ts';
import { sourcesSection } from './sections/sources.ts';
import { spreadSection } from './sections/spread.ts';
import { tiersSection } from './sections/tiers.ts';

/** A report as it is written: the page, and its charts by themselves. */
export interface RenderedReport {
  readonly html: string;
  readonly charts: readonly Chart[];
  /** What the report leaves out, in sentences. */
  readonly notes: readonly string[];
}

/**
 * The report as one HTML file that needs nothing beside it. Texts of the input stand in it only as text: by
 * `element` in the page and as JSON in blocks of data, and its content policy lets nothing but its own script
 * and style sheet act.
 */
export function renderReport(input: ReportInput): RenderedReport {
  const sections = [
    headlineSection(input),
    evidenceSection(input),
    settingsSection(input),
    sessionsSection(input),
    tiersSection(input),
    sourcesSection(input),
    spreadSection(input),
    gatesSection(input),
    violationsSection(input),
    agreementSection(input),
  ].flatMap((section) => section ?? []);
  const rows = rowsData(input.rows, input.replayed.details);
  const notes = [
    ...input.replayed.notes,
    ...(rows.count < input.rows.length
      ? [
          `The table of rows holds the first ${thousands(rows.count)} of ${thousands(input.rows.length)} cells; all figures are over all of them, and the CSV has the others.`,
        ]
      : []),
  ];
  const all = [...sections, rowsSection(notes)];
  const script = pageScript();
  const style = styleSheet();
  const body = joined(
    element('a', { class: 'skip', href: '#headline' }, 'Skip to the figures'),
    headerOf(input, all),
    element('main', {}, all.map(sectionMarkup), aboutSection(input, notes)),
    cellDialog(),
    dataBlock('rows-data', rows.json),
    input.replayed.details.map(({ json }, index) => dataBlock(`detail-${index}`, json)),
    trusted(`<script>${script}</script>`),
  );
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy(script, style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
${element('title', {}, input.title).html}
<style>${style}</style>
</head>
<body>
${body.html}</body>
</html>
`;
  return { html, charts: sections.flatMap(({ charts }) => charts), notes };
}

function headerOf({ title, runs }: ReportInput, sections: readonly Section[]): Markup {
  const [run] = runs;
  const facts = [
    run === undefined ? '' : run.started.slice(0, 16).replace('T', ' '),
    `components asked ${[...new Set(runs.map(({ model }) => model))].join(', ')}`,
    run === undefined ? '' : `tokens by ${run.tokenizer}`,
  ].filter((fact) => fact !== '');
  return element(
    'header',
    { class: 'top' },
    element(
      'div',
      { class: 'bar' },
      element(
        'div',
        {},
        element('h1', {}, title),
        element('p', { class: 'facts' }, facts.join(' · ')),
        unfinished(runs).map((line) => element('p', { class: 'bad' }, line)),
      ),
      element(
        'button',
        { type: 'button', id: 'theme', class: 'plain', title: 'auto: as the system has it' },
        'Theme: auto',
      ),
    ),
    element(
      'nav',
      { 'aria-label': 'Sections' },
      [...sections, { id: 'about', short: 'About' }].map(({ id, short }) =>
        element('a', { href: `#${id}` }, short),
      ),
    ),
  );
}

function sectionMarkup({ id, title, body }: Section): Markup {
  return element(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    element('h2', { id: `${id}-title`, tabindex: -1 }, title),
    body,
  );
}

/** The rows and their filters; the script fills them in. */
function rowsSection(notes: readonly string[]): Section {
  const select = (id: string, label: string, first: string) =>
    element(
      'label',
      {},
      element('span', {}, label),
      element('select', { id }, element('option', { value: '' }, first)),
    );
  const body = element(
    'div',
    {},
    notes.length === 0 ? undefined : element('p', { class: 'note' }, notes.join(' ')),
    element(
      'div',
      { class: 'filters', role: 'search', 'aria-label': 'Filter the rows' },
      element(
        'label',
        { class: 'grow' },
        element('span', {}, 'Search'),
        element('input', {
          type: 'search',
          id: 'rows-search',
          placeholder: 'task, config, gate, note …',
          autocomplete: 'off',
        }),
      ),
      select('rows-config', 'Config', 'all configs'),
      select('rows-task', 'Task', 'all tasks'),
      select('rows-state', 'Cells', 'all cells'),
      select('rows-columns', 'Columns', 'main columns'),
      element('button', { type: 'button', id: 'rows-clear', class: 'plain' }, 'Clear filters'),
    ),
    element('div', { id: 'rows-conditions', class: 'conditions' }),
    element(
      'p',
      { id: 'rows-count', class: 'note', role: 'status' },
      'The table needs JavaScript.',
    ),
    element(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Rows' },
      element(
        'table',
        { id: 'rows-table' },
        element('caption', { class: 'unseen' }, 'One row a cell: a recording under a config'),
        element('thead', {}),
        element('tbody', {}),
      ),
    ),
    element(
      'button',
      { type: 'button', id: 'rows-more', class: 'plain', hidden: true },
      'Show more',
    ),
  );
  return { id: 'rows', title: 'Rows', short: 'Rows', body, charts: [] };
}

/** Where a cell opens; the script fills it in. */
function cellDialog(): Markup {
  return element(
    'dialog',
    { id: 'cell', 'aria-labelledby': 'cell-title' },
    element(
      'div',
      { class: 'dialog-bar' },
      element('h2', { id: 'cell-title', tabindex: -1 }, 'Cell'),
      element('button', { type: 'button', id: 'cell-close', class: 'plain' }, 'Close'),
    ),
    element('div', { id: 'cell-body' }),
  );
}

function aboutSection({ runs, configs }: ReportInput, notes: readonly string[]): Markup {
  return element(
    'section',
    { id: 'about', 'aria-labelledby': 'about-title' },
    element('h2', { id: 'about-title', tabindex: -1 }, 'What was run'),
    runs.map(runFacts),
    notes.length === 0 ? undefined : bulletList(notes),
    behind(`Configs (${configs.length})`, configs.map(configText)),
    behind('Columns of the rows', columnTexts()),
  );
}

function runFacts(run: ReportRun): Markup {
  const facts: readonly (readonly [string, string])[] = [
    ['rows', run.file],
    ['recordings', run.patterns.join(' ')],
    ['started', run.started],
    ['status', run.status],
    ['components asked', run.model],
    ['tokens by', run.tokenizer],
    ['expand', run.expand],
    ['guard', run.guard ? 'on' : 'off: rewrites that break a rule are kept'],
    ['harness', run.revision === undefined ? run.harness : `${run.harness}, ${run.revision}`],
  ];
  return element(
    'dl',
    { class: 'facts' },
    facts.map(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
  );
}

function configText({ name, about, text }: ReportConfig): Markup {
  return element(
    'div',
    { class: 'config' },
    element('h3', {}, rowsLink([['config', '=', name]], name)),
    about === '' ? undefined : element('p', {}, about),
    element('pre', { tabindex: 0, role: 'region', 'aria-label': `Document of ${name}` }, text),
  );
}

function columnTexts(): Markup {
  return element(
    'dl',
    { class: 'columns' },
    columnList.map(({ header, unit, description }) => [
      element('dt', {}, element('code', {}, header), unit === '' ? '' : ` (${unit})`),
      element('dd', {}, description),
    ]),
  );
}
