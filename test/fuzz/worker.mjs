import { register } from 'tsx/esm/api';

// A worker takes no `--import tsx` on Node 20.
register();
await import('./worker.ts');
