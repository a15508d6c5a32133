import type { z } from 'zod';
import type { CompactionRequest, Component, Context, Outcome } from './component.ts';

/** A component with its settings: configured once, then run. */
export interface BoundComponent {
  /** Key under `components:`, the name that rows and gates use. */
  readonly key: string;
  readonly name: string;
  readonly kind: 'reformat' | 'offload';
  readonly version: number;
  /** Milliseconds. */
  readonly timeLimit: number;
  /** The settings with every default filled in. */
  readonly settings: unknown;
  compact(request: CompactionRequest, context: Context): Promise<Outcome>;
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
      timeLimit: component.timeLimit,
      settings: config,
      compact: (request, context) => component.compact(request, config, context),
    },
  };
}
