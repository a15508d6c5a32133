import { type BarPart, stackedBars } from '../../charts/stacked-bars.ts';
import { thousands } from '../../numbers.ts';
import { controlledBy } from '../../results/controls.ts';
import { rowsHref, rowsLink } from '../links.ts';
import { element, type Markup } from '../markup.ts';
import type { ReportInput } from '../report-input.ts';
import type { ConfigSources } from '../savings-sources.ts';
import { type Chart, chartOf, figure, notMeasured, type Section } from '../section.ts';
import { table } from '../table.ts';

const MOST_BARS = 24;

/** Where savings come from: the components of a pipeline, and the tools whose outputs were shortened. */
export function sourcesSection(input: ReportInput): Section {
  const head = { id: 'sources', title: 'Where savings come from', short: 'Sources' };
  const { sources, notes } = input.replayed;
  const values = [...sources].filter(
    ([config, { components }]) =>
      controlledBy(config) === undefined && [...components.values()].some(({ fired }) => fired > 0),
  );
  if (values.length === 0) {
    const body = notMeasured(notes[0] ?? 'No config rewrote a request.');
    return { ...head, body, charts: [] };
  }
  const tools = values.flatMap(([config, { parts }]) => barsOf(config, parts));
  const components = values.flatMap(([config, { components: shares }]) =>
    barsOf(config, new Map([...shares].map(([name, { gross }]) => [name, gross]))),
  );
  const byTool = partsChart('sources-tools', tools, {
    title: 'By tool',
    label: 'Unique tokens saved of each config, by the tool whose output was shortened.',
    axis: 'unique tokens saved →',
    caption:
      'Tokens taken away, each message once, by the tool whose output they are, or by what else they are. Left of 0 is what was put in: summaries and markers.',
  });
  const byComponent = partsChart('sources-components', components, {
    title: 'By component',
    label: 'Gross tokens saved of each config, by component.',
    axis: 'gross tokens saved →',
    caption:
      'Σ over requests of what each step of the pipeline took away of what the one before left.',
  });
  return {
    ...head,
    charts: [byTool.chart, byComponent.chart],
    body: element('div', {}, byTool.body, byComponent.body, componentTable(values)),
  };
}

function barsOf(config: string, parts: ReadonlyMap<string, number>): BarPart[] {
  const href = rowsHref([
    ['config', '=', config],
    ['fired', '>', 0],
  ]);
  return [...parts].map(([part, value]) => ({ bar: config, part, value: Math.round(value), href }));
}

interface PartsText {
  readonly title: string;
  readonly label: string;
  readonly axis: string;
  readonly caption: string;
}

function partsChart(
  name: string,
  values: readonly BarPart[],
  { title, label, axis, caption }: PartsText,
): { readonly chart: Chart; readonly body: Markup } {
  const sizes = new Map<string, number>();
  for (const { part, value } of values) {
    sizes.set(part, (sizes.get(part) ?? 0) + Math.abs(value));
  }
  const parts = [...sizes].toSorted(([, a], [, b]) => b - a).map(([part]) => part);
  const bars = [...new Set(values.map(({ bar }) => bar))];
  const shown = new Set(bars.slice(0, MOST_BARS));
  const drawn = values.filter(({ bar }) => shown.has(bar));
  const chart = chartOf(name, (width) => stackedBars(drawn, { label, axis, width, parts }));
  const figures = table({
    caption: label,
    columns: [
      {
        header: 'config',
        align: 'left',
        cell: (bar: string) => rowsLink([['config', '=', bar]], bar),
        sort: (bar: string) => bar,
      },
      ...parts.slice(0, 20).map((part) => {
        const tokensOf = (bar: string) =>
          values.find((one) => one.bar === bar && one.part === part)?.value ?? 0;
        return { header: part, cell: (bar: string) => thousands(tokensOf(bar)), sort: tokensOf };
      }),
    ],
    rows: bars,
    href: (bar) => rowsHref([['config', '=', bar]]),
  });
  const more =
    bars.length > MOST_BARS ? ` Of ${bars.length} configs the first ${MOST_BARS} are drawn.` : '';
  return {
    chart,
    body: element('div', {}, element('h3', {}, title), figure(chart, `${caption}${more}`, figures)),
  };
}

function componentTable(values: readonly (readonly [string, ConfigSources])[]): Markup {
  const lines = values.flatMap(([config, { components }]) =>
    [...components].map(([component, share]) => ({ config, component, ...share })),
  );
  return table({
    caption: 'What each component did',
    columns: [
      {
        header: 'config',
        align: 'left',
        cell: ({ config }) => rowsLink([['config', '=', config]], config),
        sort: ({ config }) => config,
      },
      { header: 'component', align: 'left', cell: ({ component }) => component },
      { header: 'gross saved', cell: ({ gross }) => thousands(gross), sort: ({ gross }) => gross },
      {
        header: 'rewrote requests',
        cell: ({ fired }) => thousands(fired),
        sort: ({ fired }) => fired,
      },
      { header: 'model calls', cell: ({ calls }) => thousands(calls), sort: ({ calls }) => calls },
    ],
    rows: lines,
    href: ({ config }) =>
      rowsHref([
        ['config', '=', config],
        ['fired', '>', 0],
      ]),
  });
}
