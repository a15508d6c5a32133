import type { Identity, Message } from '../transcript/message.ts';
import type { CapturedRequest } from './captured.ts';

const ROOT = 0;

/**
 * Tells in constant time whether a list is carried on by any later request of its session. The lists
 * form a tree whose nodes are shared prefixes; each node knows the last request that passes through it.
 */
export class PrefixIndex {
  readonly #children = new Map<Identity, Map<number, number>>();
  readonly #lastSeen: number[] = [-1];
  readonly #ends = new Map<readonly Message[], number>();

  constructor(requests: readonly CapturedRequest[]) {
    let before: readonly Message[] = [];
    let nodesBefore: readonly number[] = [];
    for (const [position, { messages }] of requests.entries()) {
      let shared = 0;
      while (shared < messages.length && messages[shared] === before[shared]) shared++;
      const nodes = nodesBefore.slice(0, shared);
      for (const message of messages.slice(shared)) {
        nodes.push(this.#child(nodes.at(-1) ?? ROOT, message));
      }
      for (const node of nodes) this.#lastSeen[node] = position;
      this.#ends.set(messages, nodes.at(-1) ?? ROOT);
      before = messages;
      nodesBefore = nodes;
    }
  }

  /** True when a request behind `position` starts with all of `messages`, a list of the session. */
  goesOn(messages: readonly Message[], position: number): boolean {
    const end = this.#ends.get(messages);
    return end !== undefined && (this.#lastSeen[end] ?? -1) > position;
  }

  #child(node: number, { identity }: Message): number {
    let byParent = this.#children.get(identity);
    if (byParent === undefined) {
      byParent = new Map();
      this.#children.set(identity, byParent);
    }
    const known = byParent.get(node);
    if (known !== undefined) return known;
    const added = this.#lastSeen.length;
    this.#lastSeen.push(-1);
    byParent.set(node, added);
    return added;
  }
}
