import { plainYaml } from '../../../compaction/yaml-document.ts';
import { heatMap } from '../../charts/heat-map.ts';
import { oneDecimal, typesetThousands, UNMEASURED } from '../../numbers.ts';
import { controlledBy } from '../../results/controls.ts';
import type { ConfigTotals } from '../../totals.ts';
import { rowsHref, rowsLink } from '../links.ts';
import { element, type Markup } from '../markup.ts';
import type { ReportConfig, ReportInput } from '../report-input.ts';
import { behind, type Chart, figure, type Section } from '../section.ts';
import { table } from '../table.ts';

const MOST_PAIRS = 6;
const MOST_VALUES = 12;

/** Configs that were made from one document and differ in some of its keys. */
interface Family {
  readonly source: string;
  readonly keys: readonly string[];
  readonly members: readonly {
    readonly total: ConfigTotals;
    readonly values: ReadonlyMap<string, string>;
  }[];
}

/** Of a parameter sweep: a heat map a pair of keys. Undefined where no document gave several configs. */
export function settingsSection({ configs, totals }: ReportInput): Section | undefined {
  const families = familiesOf(configs, totals);
  if (families.length === 0) return undefined;
  const parts = families.map(familyPart);
  return {
    id: 'settings',
    title: 'Settings',
    short: 'Settings',
    charts: parts.flatMap(({ charts }) => charts),
    body: element(
      'div',
      {},
      parts.map(({ body }) => body),
    ),
  };
}

function familiesOf(configs: readonly ReportConfig[], totals: readonly ConfigTotals[]): Family[] {
  const groups = new Map<string, ReportConfig[]>();
  for (const config of configs) {
    if (controlledBy(config.name) !== undefined) continue;
    groups.set(config.source, [...(groups.get(config.source) ?? []), config]);
  }
  return [...groups].flatMap(([source, members]) => {
    const settings = members.map(({ text }) => leavesOf(text));
    const keys = [...new Set(settings.flatMap((one) => [...one.keys()]))].filter(
      (key) => new Set(settings.map((one) => one.get(key))).size > 1,
    );
    const found = members.flatMap(({ name }, index) => {
      const total = totals.find(({ config }) => config === name);
      return total === undefined ? [] : [{ total, values: settings[index] ?? new Map() }];
    });
    return found.length < 2 || keys.length === 0 ? [] : [{ source, keys, members: found }];
  });
}

/** Dotted key → value, of what a config document sets for its components. */
function leavesOf(text: string): Map<string, string> {
  const leaves = new Map<string, string>();
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [key, child] of Object.entries(value)) walk(child, [...path, key]);
    } else leaves.set(path.join('.'), Array.isArray(value) ? JSON.stringify(value) : String(value));
  };
  const document = plainYaml(text);
  if (typeof document === 'object' && document !== null && 'components' in document) {
    walk(document.components, []);
  }
  return leaves;
}

function familyPart({ source, keys, members }: Family): {
  readonly body: Markup;
  readonly charts: readonly Chart[];
} {
  const pairs = keys.flatMap((x, index) => keys.slice(index + 1).map((y) => [x, y] as const));
  const drawn = pairs
    .filter((pair) => pair.every((key) => valuesOf(members, key).length <= MOST_VALUES))
    .slice(0, MOST_PAIRS);
  const charts: Chart[] = [];
  const figures = drawn.map(([x, y], index) => {
    const measures = [
      {
        name: 'saved',
        title: 'mean saved, %',
        value: ({ meanPercent }: ConfigTotals) => meanPercent,
      },
      {
        name: 'kept',
        title: 'evidence kept, %',
        value: ({ evidenceKeptPercent }: ConfigTotals) => evidenceKeptPercent,
      },
    ];
    return measures.flatMap(({ name, title, value }) => {
      const cells = heatCells(members, x, y, value);
      if (cells.length === 0) return [];
      const options = {
        label: `${title}, by ${x} and ${y}.`,
        xLabel: shortKey(x),
        yLabel: shortKey(y),
        xs: valuesOf(members, x),
        ys: valuesOf(members, y),
        spell: (figure: number) => oneDecimal(figure),
      };
      const chart: Chart = {
        name: `heat-${source.replace(/^.*\/|\.ya?ml$/g, '').replace(/[^\w-]+/g, '-')}-${index + 1}-${name}`,
        wide: heatMap(cells, { ...options, width: 450 }),
        narrow: heatMap(cells, { ...options, width: 340 }),
      };
      charts.push(chart);
      return [figure(chart, [element('strong', {}, title), ` by ${x} and ${y}`], undefined)];
    });
  });
  const left = pairs.length - drawn.length;
  const configs = table({
    caption: `Configs of ${source}`,
    columns: [
      ...keys.map((key) => ({
        header: shortKey(key),
        about: key,
        align: 'left' as const,
        cell: ({ values }: Family['members'][number]) => values.get(key) ?? UNMEASURED,
        sort: ({ values }: Family['members'][number]) => values.get(key) ?? '',
      })),
      {
        header: 'net saved',
        cell: ({ total }: Family['members'][number]) =>
          rowsLink([['config', '=', total.config]], typesetThousands(total.net)),
        sort: ({ total }: Family['members'][number]) => total.net,
      },
      {
        header: 'mean saved %',
        cell: ({ total }: Family['members'][number]) => oneDecimal(total.meanPercent),
        sort: ({ total }: Family['members'][number]) => total.meanPercent,
      },
      {
        header: 'kept %',
        cell: ({ total }: Family['members'][number]) => oneDecimal(total.evidenceKeptPercent),
        sort: ({ total }: Family['members'][number]) => total.evidenceKeptPercent,
      },
      {
        header: 'frontier',
        align: 'left' as const,
        cell: ({ total }: Family['members'][number]) => (total.frontier ? '★' : ''),
      },
    ],
    rows: members,
    href: ({ total }) => rowsHref([['config', '=', total.config]]),
  });
  return {
    charts,
    body: element(
      'div',
      {},
      element('h3', {}, source),
      element('div', { class: 'grid' }, figures),
      left === 0
        ? undefined
        : element('p', { class: 'note' }, `${left} further pairs of keys are not drawn.`),
      members.length > 12 ? behind('The configs as a table', configs) : configs,
    ),
  };
}

/** `components.summarize.keep_last` is known by its end. */
function shortKey(key: string): string {
  return key.split('.').slice(-2).join('.');
}

/** Values that a key has, in the order of numbers where they are. */
function valuesOf(members: Family['members'], key: string): string[] {
  const values = [...new Set(members.flatMap(({ values: own }) => own.get(key) ?? []))];
  return values.every((value) => Number.isFinite(Number(value)))
    ? values.toSorted((a, b) => Number(a) - Number(b))
    : values;
}

/** The mean over the configs that have both values. */
function heatCells(
  members: Family['members'],
  x: string,
  y: string,
  value: (total: ConfigTotals) => number | undefined,
) {
  const groups = new Map<string, { x: string; y: string; values: number[]; configs: string[] }>();
  for (const { total, values } of members) {
    const [left, right, figureOf] = [values.get(x), values.get(y), value(total)];
    if (left === undefined || right === undefined || figureOf === undefined) continue;
    const key = JSON.stringify([left, right]);
    const group = groups.get(key) ?? { x: left, y: right, values: [], configs: [] };
    group.values.push(figureOf);
    group.configs.push(total.config);
    groups.set(key, group);
  }
  return [...groups.values()].map((group) => ({
    x: group.x,
    y: group.y,
    value: group.values.reduce((sum, one) => sum + one, 0) / group.values.length,
    href: rowsHref(group.configs.map((config) => ['config', '=', config] as const)),
  }));
}
