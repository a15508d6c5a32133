import type { ActionEvidence, Evidence } from '../../replay/evidence.ts';
import { forEachName, namesInCalls, readableTexts } from '../../replay/evidence-names.ts';
import type { Message } from '../../transcript/message.ts';
import type { MarkerPaths } from './marker-paths.ts';
import type { Fate, MessageChange } from './message-changes.ts';

/** One identifier that an action used: what became of it, where it stood, what it was used for. */
export interface EvidencePlace {
  readonly value: string;
  readonly status: Evidence['status'];
  /** An earlier decision of the config had still put it in front of the model. */
  readonly goneLater: boolean;
  /** Keys to expand, one inside of the other, to get back what is recoverable. */
  readonly behind: readonly string[];
  /** Messages of the recorded request that hold it, and what became of them. */
  readonly heldBy: readonly { readonly index: number; readonly fate: Fate }[];
  /** Names of the tools whose calls take it. */
  readonly usedBy: readonly string[];
}

/** Finds where the identifiers of actions stood; each message is read once. */
export class EvidencePlaces {
  readonly #paths: MarkerPaths;
  readonly #names = new Map<string, ReadonlySet<string>>();

  constructor(paths: MarkerPaths) {
    this.#paths = paths;
  }

  /** @param changes of the request that the action answers */
  of(
    { used }: ActionEvidence,
    action: Message | undefined,
    changes: readonly MessageChange[],
  ): EvidencePlace[] {
    if (used.length === 0) return [];
    const visible = [
      ...new Set(changes.flatMap(({ after }) => (after ? this.#paths.keysIn(after.message) : []))),
    ];
    const calls = callsOf(action);
    return used.map(({ value, status, outlived }) => ({
      value,
      status,
      goneLater: status !== 'kept' && outlived > 0,
      behind: status === 'recoverable' ? (this.#paths.toName(visible, value) ?? []) : [],
      heldBy: changes.flatMap(({ before, fate }) =>
        before !== undefined && this.#namesOf(before.message).has(value)
          ? [{ index: before.index, fate }]
          : [],
      ),
      usedBy: [...new Set(calls.filter(({ names }) => names.has(value)).map(({ tool }) => tool))],
    }));
  }

  #namesOf(message: Message): ReadonlySet<string> {
    const known = this.#names.get(message.identity.hash);
    if (known !== undefined) return known;
    const names = new Set<string>();
    for (const text of readableTexts(message)) forEachName(text, (name) => names.add(name));
    this.#names.set(message.identity.hash, names);
    return names;
  }
}

function callsOf(action: Message | undefined) {
  if (action === undefined) return [];
  return action.blocks.flatMap((block) => {
    if (block.kind !== 'tool-call') return [];
    const names = namesInCalls({ ...action, blocks: [block] }).map(({ value }) => value);
    return [{ tool: block.name, names: new Set(names) }];
  });
}
