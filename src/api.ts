/**
 * What a component of your own is written with (docs/own-component.md): `import { defineComponent, z } from
 * 'compaction-harness'`, or from this file by its path. The one file that passes on what others define.
 */
export { z } from 'zod';
export {
  type CompactionRequest,
  type Component,
  type Context,
  defineComponent,
  type Outcome,
} from './compaction/component.ts';
export { type MarkerMode, markerMode } from './compaction/marker-mode.ts';
export { markerOf, SENTINEL, type StashKey } from './compaction/stash.ts';
export { shortenOutputs, type ToolOutput, toolOutputs } from './compaction/tool-outputs.ts';
export { safeCuts } from './transcript/exchanges.ts';
export type { Block, Message } from './transcript/message.ts';
