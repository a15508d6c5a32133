import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import type { BoundComponent } from './bound.ts';
import type { Config } from './config.ts';
import { CONNECTION_KEYS } from './settable.ts';

/** SHA-256 (16 hexadecimal digits) of the steps with their versions, without connection data. */
export function hashOf(
  steps: readonly BoundComponent[],
  { inject, matches }: Pick<Config, 'inject' | 'matches'> = {},
): string {
  const identity = steps.map(({ name, version, code, settings }) => ({
    component: name,
    version,
    code,
    settings: withModel(settings, (key) => !CONNECTION_KEYS.has(key)),
  }));
  const isPlain = (inject ?? 'auto') === 'auto' && matches === undefined;
  const whole = isPlain ? identity : { steps: identity, inject, matches };
  return createHash('sha256').update(canonicalJson(whole)).digest('hex').slice(0, 16);
}

/**
 * The document with every default filled in, as YAML that reads back to the same config; no secrets.
 * @param uses paths of the components of the author's own, by key
 */
export function textOf(
  { name, about, steps, inject }: Pick<Config, 'name' | 'about' | 'steps' | 'inject'>,
  uses: ReadonlyMap<string, string>,
): string {
  const components = Object.fromEntries(
    steps.map(({ key, settings }) => {
      const use = uses.get(key);
      const shown = withModel(settings, (field) => field !== 'api_key');
      return [key, use === undefined || !isRecord(shown) ? shown : { use, ...shown }];
    }),
  );
  const document = {
    name,
    ...(about === '' ? {} : { about }),
    pipeline: steps.map(({ key }) => key),
    ...(steps.length === 0 ? {} : { components }),
    ...((inject ?? 'auto') === 'auto' ? {} : { expand: { inject } }),
  };
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Everything that a run of the steps depends on, connection data too: for comparison, never to be shown. */
export function contentOf(steps: readonly BoundComponent[]): string {
  return canonicalJson(
    steps.map(({ key, version, code, settings }) => ({ key, version, code, settings })),
  );
}

/** The settings with the `model` block's kept keys only, and no credentials inside its URL. */
function withModel(settings: unknown, keep: (key: string) => boolean): unknown {
  if (!isRecord(settings) || !isRecord(settings.model)) return settings;
  const model = Object.entries(settings.model)
    .filter(([key]) => keep(key))
    .map(([key, value]) => [key, key === 'base_url' ? withoutCredentials(value) : value]);
  return { ...settings, model: Object.fromEntries(model) };
}

function withoutCredentials(value: unknown): unknown {
  if (typeof value !== 'string' || !URL.canParse(value)) return value;
  const { protocol, host, pathname } = new URL(value);
  return `${protocol}//${host}${pathname}`;
}

/** JSON with sorted keys, so that equal values give equal texts. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`);
  return `{${fields.join(',')}}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
