import { defineConfig } from 'tsdown';

/**
 * The package's `dist/`: the source's own folders and files, since the sandbox's threads and the project's
 * configs and fixtures are found by their place beside the code.
 */
export default defineConfig({
  // The last is what threads load, by its place.
  entry: ['src/cli.ts', 'src/api.ts', 'src/commands/sweep-thread.ts'],
  outDir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  unbundle: true,
  // `.js`, since a `.mjs` beside it is another file: the sandbox's thread.
  fixedExtension: false,
  dts: true,
  clean: true,
  copy: [
    { from: 'src/report/html/assets', to: 'dist/report/html' },
    { from: 'src/commands/sweep-thread.mjs', to: 'dist/commands' },
    { from: 'src/compaction/extract/sandbox/*.mjs', to: 'dist/compaction/extract/sandbox' },
    {
      from: 'src/compaction/extract/sandbox/javascript-runtime',
      to: 'dist/compaction/extract/sandbox',
    },
    {
      from: 'src/compaction/extract/sandbox/python-runtime',
      to: 'dist/compaction/extract/sandbox',
    },
  ],
});
