import type { Transcript } from '../transcript/transcript.ts';
import { isObject } from '../wire/json-object.ts';
import { objectText } from '../wire/parts.ts';
import type { ToolDeclaration } from '../wire/tool-declarations.ts';

/**
 * Declarations of the tools that a transcript calls, for recordings that hold messages and no request bodies:
 * a model can only call what is declared. Arguments are those that some call has, with the types that
 * were seen; those that every call has are required. The same at every request of the transcript.
 */
export function inferredTools({ requests }: Transcript): readonly ToolDeclaration[] {
  const tools = new Map<string, { calls: number; keys: Map<string, Seen> }>();
  const messages = new Set(
    requests.flatMap((request) => [...request.messages, ...[request.action ?? []].flat()]),
  );
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.kind !== 'tool-call' || block.server === true || block.name === '') continue;
      const tool = tools.get(block.name) ?? { calls: 0, keys: new Map<string, Seen>() };
      tools.set(block.name, tool);
      tool.calls++;
      const value: unknown = JSON.parse(objectText(block.arguments));
      for (const [key, inner] of Object.entries(isObject(value) ? value : {})) {
        const seen = tool.keys.get(key) ?? { count: 0, types: new Set<string>() };
        tool.keys.set(key, seen);
        seen.count++;
        seen.types.add(typeOf(inner));
      }
    }
  }
  return [...tools].map(([name, { calls, keys }]) => ({
    name,
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        [...keys].map(([key, { types }]) => [key, types.size === 1 ? { type: [...types][0] } : {}]),
      ),
      required: [...keys].flatMap(([key, { count }]) => (count === calls ? [key] : [])),
    },
  }));
}

interface Seen {
  count: number;
  readonly types: Set<string>;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
