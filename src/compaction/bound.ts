import type { z } from 'zod';
import type { CompactionRequest, Component, Context, Outcome } from './component.ts';

/** A component with its settings: configured once, then run. */
export interface BoundComponent {
  /** Key under `components:`, the name that rows and gates use. */
  readonly key: string;
  readonly name: string;
  readonly kind: 'reformat' | 'offload';
  readonly version: number;
  /** Whether what it drops can be got back. */
  readonly stashes: boolean;
  /** Milliseconds. */
  readonly timeLimit: number;
  /** Of a component of the user's own: hash of its code. */
  readonly code?: string;
  /** The settings with every default filled in. */
  readonly settings: unknown;
  compact(request: CompactionRequest, context: Context): Promise<Outcome>;
}

/** `marker_mode: summary | off` drops for good. */
function keepsStash(config: unknown): boolean {
  if (typeof config !== 'object' || config === null || !('marker_mode' in config)) return true;
  return config.marker_mode !== 'summary' && config.marker_mode !== 'off';
}

/** Checks `settings` against the component's schema and binds them, or returns what is wrong. */
export function bindComponent<C>(
  component: Component<C>,
  key: string,
  settings: unknown,
):
  | { readonly ok: true; readonly bound: BoundComponent }
  | { readonly ok: false; readonly error: z.ZodError } {
  const parsed = component.config.safeParse(settings ?? {});
  if (!parsed.success) return { ok: false, error: parsed.error };
  const config = parsed.data;
  return {
    ok: true,
    bound: {
      key,
      name: component.name,
      kind: component.kind,
      version: component.version,
      stashes: component.stashes !== false && component.kind === 'offload' && keepsStash(config),
      timeLimit: component.timeLimit,
      settings: config,
      compact: (request, context) => component.compact(request, config, context),
    },
  };
}
