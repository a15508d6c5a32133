/**
 * The thread that cells are measured in. Plain JavaScript, because Node 20 cannot start a thread from TypeScript:
 * beside the source, it brings the loader.
 */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';

const built = new URL('./sweep-thread.js', import.meta.url);

/**
 * The loader of `require` works in this thread. That of `import` takes a thread of its own, half a second and 40 MB
 * more, and only components of the user's own are imported later.
 */
async function source() {
  if (workerData[1].importsOwn) {
    const { register } = await import('tsx/esm/api');
    register();
    return import('./sweep-thread.ts');
  }
  const { register } = await import('tsx/cjs/api');
  register();
  return createRequire(import.meta.url)('./sweep-thread.ts');
}

const { measureTask } = existsSync(built) ? await import(built.href) : await source();

export default measureTask;
