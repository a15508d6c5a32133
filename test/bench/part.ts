/** One process of the bench: `part.ts PART FILE NAME…` prints what it measured as JSON. */
import { parts } from './parts.ts';

const [part = '', file = '', ...names] = process.argv.slice(2);
const measure = parts[part];
if (measure === undefined)
  throw new Error(`no part "${part}"; there are ${Object.keys(parts).join(', ')}`);
process.stdout.write(JSON.stringify(await measure(file, names)));
process.exit(0);
