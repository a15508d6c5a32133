import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { ink } from './theme.ts';

/** One entry of a legend. */
export interface LegendEntry {
  readonly label: string;
  readonly colour: string;
  readonly shape?: 'square' | 'dot' | 'ring' | 'diamond' | 'line' | 'dashed';
}

export interface DrawingOptions {
  readonly plot: Plot.PlotOptions;
  /** What the drawing shows, for whoever does not see it. */
  readonly label: string;
  readonly legend?: readonly LegendEntry[];
  readonly width: number;
}

const FONT_SIZE = 12;
const LEGEND_LINE = 20;
/** Widest letter of a label on average, as a share of the font's size. */
const LETTER = 0.6;

/** Columns in pixels that a label takes at most on average. */
export function labelWidth(text: string, size = FONT_SIZE): number {
  return text.length * size * LETTER;
}

/**
 * A chart as the text of an SVG element: the same input gives the same text. Texts are escaped; there are no
 * styles, scripts, ids or links out of the page in it.
 */
export function drawing({ plot, label, legend = [], width }: DrawingOptions): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const svg: unknown = Plot.plot({ ...plot, width, document });
  const { lines, text } = legendLines(legend, width);
  const height = Number(attributeOf(svg, 'height'));
  const above = lines * LEGEND_LINE + (lines > 0 ? 6 : 0);
  const content = childrenOf(svg).map(serialized).join('');
  const body = above === 0 ? content : `<g transform="translate(0,${above})">${content}</g>`;
  const box = `viewBox="0 0 ${width} ${height + above}" width="${width}" height="${height + above}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box} role="group" aria-label="${escapeXml(label)}" font-size="${FONT_SIZE}" font-family="system-ui, sans-serif" fill="currentColor" text-anchor="middle">${text}${body}</svg>`;
}

function legendLines(entries: readonly LegendEntry[], width: number) {
  let [x, line] = [0, 0];
  const parts = entries.map(({ label, colour, shape = 'square' }) => {
    const room = 20 + labelWidth(label) + 14;
    if (x > 0 && x + room > width) [x, line] = [0, line + 1];
    const at = `translate(${round(x)},${line * LEGEND_LINE + 10})`;
    x += room;
    return `<g transform="${at}">${swatch(shape, colour)}<text x="18" y="0.35em" text-anchor="start">${escapeXml(label)}</text></g>`;
  });
  return { lines: entries.length === 0 ? 0 : line + 1, text: parts.join('') };
}

function swatch(shape: NonNullable<LegendEntry['shape']>, colour: string): string {
  switch (shape) {
    case 'square':
      return `<rect x="0" y="-6" width="12" height="12" rx="2" fill="${colour}"/>`;
    case 'dot':
      return `<circle cx="6" cy="0" r="5" fill="${colour}"/>`;
    case 'ring':
      return `<circle cx="6" cy="0" r="4.5" fill="none" stroke="${colour}" stroke-width="2"/>`;
    case 'diamond':
      return `<path d="M6,-5.5L11,0L6,5.5L1,0Z" fill="none" stroke="${colour}" stroke-width="1.8"/>`;
    case 'line':
      return `<path d="M0,0H13" stroke="${colour}" stroke-width="2.5" fill="none"/>`;
    case 'dashed':
      return `<path d="M0,0H13" stroke="${colour}" stroke-width="2" stroke-dasharray="4 3" fill="none"/>`;
  }
}

/** What a drawing is made of; whatever else the library puts into it is left out. */
const ELEMENTS = new Set(['g', 'path', 'line', 'rect', 'circle', 'text', 'tspan', 'title', 'a']);
const ATTRIBUTES = new Set(
  'd x y x1 x2 y1 y2 cx cy r rx ry dx dy width height transform fill fill-opacity stroke stroke-width stroke-opacity stroke-dasharray stroke-linecap stroke-linejoin stroke-miterlimit opacity text-anchor font-size font-weight font-variant paint-order href aria-label aria-hidden aria-description'.split(
    ' ',
  ),
);

const TEXT_NODE = 3;

function serialized(node: unknown): string {
  if (property(node, 'nodeType') === TEXT_NODE) return escapeXml(String(property(node, 'data')));
  const name = String(property(node, 'localName'));
  if (!ELEMENTS.has(name)) return '';
  const written = attributesOf(node).flatMap(([key, value]) => {
    const plain = key.replace(/^xlink:/, '');
    if (!ATTRIBUTES.has(plain)) return [];
    if (plain === 'href' && !value.startsWith('#')) return [];
    // A group's label names its mark, which says nothing to a reader.
    if (name === 'g' && plain === 'aria-label') return [];
    return [` ${plain}="${escapeXml(shortened(plain, value))}"`];
  });
  return `<${name}${written.join('')}>${childrenOf(node).map(serialized).join('')}</${name}>`;
}

/** Tenths of a pixel are enough. */
function shortened(name: string, value: string): string {
  const isPlace = /^(?:d|x\d?|y\d?|c[xy]|width|height|transform)$/.test(name);
  if (!isPlace || value.endsWith('em')) return value;
  return value.replace(/-?\d+\.\d+(?:e-?\d+)?/g, (number) => String(round(Number(number))));
}

function round(value: number): number {
  return Math.round(value * 10) / 10 || 0;
}

function childrenOf(node: unknown): unknown[] {
  const children = property(node, 'childNodes');
  return isIterable(children) ? [...children] : [];
}

function attributesOf(node: unknown): (readonly [string, string])[] {
  const attributes = property(node, 'attributes');
  if (!isIterable(attributes)) return [];
  return [...attributes].map(
    (one) => [String(property(one, 'name')), String(property(one, 'value'))] as const,
  );
}

function attributeOf(node: unknown, name: string): string | undefined {
  return attributesOf(node).find(([key]) => key === name)?.[1];
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Texts over the marks of a chart keep clear of them by an outline in the colour of the ground. */
export const outlined = { stroke: ink('surface'), strokeWidth: 4, fill: ink('ink') } as const;
