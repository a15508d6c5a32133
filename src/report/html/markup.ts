/** HTML that is made of elements alone: every text in it is escaped, and no attribute can run anything. */

/** Text of a page that is already markup; only this module makes it. */
export interface Markup {
  readonly html: string;
}

export type Child = Markup | string | number | undefined | readonly Child[];

/** Elements without a content. */
const VOID = new Set(['input', 'meta', 'col', 'br', 'wbr']);

/** `onclick`, `style`, `src` and their like are none of a page that runs and loads nothing. */
const ATTRIBUTE =
  /^(?:id|class|href|type|value|name|lang|charset|content|http-equiv|for|role|scope|open|hidden|tabindex|title|placeholder|colspan|autocomplete|selected|checked|disabled|data-[a-z-]+|aria-[a-z-]+)$/;

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * An element. Strings among the children are texts; an attribute that is `undefined` or `false` is left out.
 * Throws RangeError for an attribute that a report has no use for, and for a link out of the page.
 */
export function element(name: string, attributes: Attributes, ...children: Child[]): Markup {
  const written = Object.entries(attributes).map(([key, value]) => {
    if (!ATTRIBUTE.test(key)) throw new RangeError(`attribute ${key} has no place in a report`);
    if (value === undefined || value === false) return '';
    if (value === true) return ` ${key}`;
    if (key === 'href' && !String(value).startsWith('#')) {
      throw new RangeError(`link to ${value}: a report links only to itself`);
    }
    return ` ${key}="${escapeHtml(String(value))}"`;
  });
  const start = `<${name}${written.join('')}>`;
  if (VOID.has(name)) return { html: start };
  return { html: `${start}${children.map(htmlOf).join('')}</${name}>` };
}

/** Several pieces one after the other. */
export function joined(...children: Child[]): Markup {
  return { html: children.map(htmlOf).join('') };
}

function htmlOf(child: Child): string {
  if (child === undefined) return '';
  if (typeof child === 'string' || typeof child === 'number') return escapeHtml(String(child));
  if ('html' in child) return child.html;
  return child.map(htmlOf).join('');
}

/** Text as it stands between tags or in a quoted attribute. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Markup that our own code made elsewhere: a drawing, a style sheet. Never a text of a recording. */
export function trusted(html: string): Markup {
  return { html };
}

/** A value as a block of data: it cannot end its element, and no browser takes it for a script. */
export function dataBlock(id: string, json: string): Markup {
  return {
    html: `<script type="application/json" id="${escapeHtml(id)}">${escapeJson(json)}</script>\n`,
  };
}

/** JSON without what a page could take for markup. */
export function escapeJson(json: string): string {
  return json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}
