import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { BoundComponent } from '../../compaction/bound.ts';
import { catalog } from '../../compaction/catalog.ts';
import type { Config } from '../../compaction/config.ts';
import { hashOf } from '../../compaction/config-identity.ts';
import { loadComponent } from '../../compaction/own-component.ts';
import { plainYaml } from '../../compaction/yaml-document.ts';
import type { Manifest } from '../../sweep/manifest.ts';

type ManifestConfig = Manifest['configs'][number];

/** What a manifest's text of a config holds: every default filled in, no secrets. */
const documentText = z.object({
  pipeline: z.array(z.string()).default([]),
  components: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  expand: z.object({ inject: z.enum(['auto', 'always', 'never']) }).optional(),
});

const controlBudget = z.object({ budget: z.object({ match: z.string() }) });

/**
 * The config that a manifest names, made again from its text; undefined where its components or their
 * versions have changed since, which its hash shows.
 */
export async function configOfManifest(
  { name, about, source, text, hash }: ManifestConfig,
  others: readonly ManifestConfig[],
  cwd: string,
): Promise<Config | undefined> {
  const read = documentText.safeParse(plainYaml(text));
  if (!read.success) return undefined;
  const { pipeline, components, expand } = read.data;
  const steps: BoundComponent[] = [];
  let matches: Config['matches'];
  for (const key of pipeline) {
    const { use, ...settings } = components[key] ?? {};
    const entry =
      typeof use === 'string'
        ? await ownComponent(resolve(cwd, dirname(source), use))
        : catalog.get(key);
    const outcome = entry?.bind(key, settings);
    if (outcome?.ok !== true) return undefined;
    steps.push(outcome.bound);
    const match = controlBudget.safeParse(settings).data?.budget.match;
    const matched = others.find((one) => one.name === match);
    if (matched !== undefined) matches = { name: matched.name, hash: matched.hash };
  }
  const config: Config = {
    name,
    about,
    steps,
    text,
    hash,
    source,
    ...(expand === undefined ? {} : { inject: expand.inject }),
    ...(matches === undefined ? {} : { matches }),
  };
  return hashOf(steps, config) === hash ? config : undefined;
}

async function ownComponent(path: string) {
  try {
    return (await loadComponent(path)).entry;
  } catch {
    return undefined;
  }
}
