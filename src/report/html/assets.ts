import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { inkDeclarations } from '../charts/theme.ts';

/** Modules of the page's script, each after those that it uses. */
const MODULES = [
  'data.js',
  'dom.js',
  'rows.js',
  'line-diff.js',
  'curve.js',
  'messages.js',
  'cell.js',
  'main.js',
];

function asset(name: string): string {
  return readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
}

/** The style sheet of the page, both themes in it. */
export function styleSheet(): string {
  const dark = inkDeclarations('dark');
  const themes = [
    `:root{color-scheme:light dark;${inkDeclarations('light')}}`,
    // Paper is light.
    `@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){${dark}}}`,
    `@media screen{:root[data-theme=dark]{color-scheme:dark;${dark}}}`,
    ':root[data-theme=light]{color-scheme:light}',
    '@media print{:root{color-scheme:light}}',
  ];
  return `${themes.join('\n')}\n${asset('report.css')}`;
}

/** The script of the page as one text: its modules in one scope, their imports and exports taken away. */
export function pageScript(): string {
  const modules = MODULES.map((name) =>
    asset(name)
      .replace(/^import [^;]*;\n/gm, '')
      .replace(/^export /gm, ''),
  );
  return `(() => {\n'use strict';\n${modules.join('\n')}})();\n`;
}

/** What the page may do: run this script, use this style, and nothing else; it loads nothing from anywhere. */
export function contentPolicy(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src '${sourceHash(script)}'`,
    `style-src '${sourceHash(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    // No text ever becomes markup, whatever the script is given.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function sourceHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
