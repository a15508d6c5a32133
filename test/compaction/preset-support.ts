import type { Config } from '../../src/compaction/config.ts';
import { type ConfigRequest, loadConfigs } from '../../src/compaction/preset.ts';
import { HarnessError } from '../../src/errors.ts';

/** Loads with the shipped documents unless the request says otherwise. */
export function load(request: Partial<ConfigRequest>) {
  return loadConfigs({ names: [], sets: [], folder: 'sweeps', ...request });
}

/** The only config of a document given as text. */
export async function only(inline: string, request: Partial<ConfigRequest> = {}): Promise<Config> {
  const { configs } = await load({ inline, ...request });
  const [config, ...others] = configs;
  if (config === undefined || others.length > 0) throw new Error(`${configs.length} configs`);
  return config;
}

/** The error of a request that must fail; any other kind of failure fails the test. */
export async function failure(request: Partial<ConfigRequest>): Promise<HarnessError> {
  try {
    await load(request);
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
  throw new Error('loaded, although it should not');
}
