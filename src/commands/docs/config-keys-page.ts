import { type CatalogEntry, catalog } from '../../compaction/catalog.ts';
import { type ConfigKey, configKeys } from '../../compaction/config-keys.ts';
import { modelSpec } from '../../compaction/model-spec.ts';
import { trigger } from '../../compaction/trigger.ts';
import { markdownTable } from '../../report/markdown.ts';
import { ownText } from './own-text.ts';

/** Blocks that several components share, each told once. */
const SHARED = ['model', 'trigger'];

/** `docs/config-keys.md`: every key of every component, with its default and what it accepts. */
export function configKeysPage(): string[] {
  return [
    '# Keys of the config documents',
    '',
    'A document has `name`, `about`, `preset`, `pipeline`, `components.<name>`, `model`, `matrix`, and `use` in the block of a component of your own ([own-component.md](own-component.md)). The keys of each component follow. An unknown key or a wrong value is an error with its file and line.',
    ...[...catalog.values()].flatMap(componentSection),
    '',
    '## `model`',
    '',
    'Whom a component asks under `--model live` and `record`; the stubs ask nobody. It may also stand at the top of a document, for every component.',
    '',
    ...keyTable(configKeys(modelSpec)),
    '',
    '## `trigger`',
    '',
    'When a component may act. Zero is no constraint; a share is ignored while the context window is not known. The `output` keys act for components that look at single tool outputs.',
    '',
    ...keyTable(configKeys(trigger)),
  ];
}

function componentSection({ name, about, schema }: CatalogEntry): string[] {
  const keys = configKeys(schema);
  const own = keys.filter(({ path }) => !SHARED.includes(path.split('.')[0] ?? ''));
  const shared = SHARED.filter((block) => keys.some(({ path }) => path.startsWith(`${block}.`)));
  const links = shared.map((block) => `[\`${block}\`](#${block})`);
  return [
    '',
    `## \`${name}\``,
    '',
    `${ownText(about)}${links.length === 0 ? '' : ` It also takes ${links.join(' and ')}.`}`,
    '',
    ...keyTable(own),
  ];
}

function keyTable(keys: readonly ConfigKey[]): string[] {
  return markdownTable(
    [
      { header: 'key', align: 'left', cell: ({ path }: ConfigKey) => `\`${path}\`` },
      { header: 'default', align: 'left', cell: ({ fallback }) => ownText(fallback) },
      { header: 'accepts', align: 'left', cell: ({ accepts }) => ownText(accepts) },
      { header: 'meaning', align: 'left', cell: ({ meaning }) => ownText(meaning) },
    ],
    keys,
  );
}
