import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A Chromium of this machine: `CG_CHROMIUM`, else one of the usual names; undefined where there is none. */
export const chromiumPath: string | undefined = [
  process.env.CG_CHROMIUM,
  ...['chromium', 'chromium-browser', 'google-chrome'].map((name) =>
    spawnSync('which', [name], { encoding: 'utf8' }).stdout?.trim(),
  ),
].find((path) => path !== undefined && path !== '' && existsSync(path));

/** Behind the name of a test that needs it. */
export const ifChromium =
  chromiumPath === undefined ? ' (skipped: no Chromium, see CG_CHROMIUM)' : '';
