/** Labels that models put on a fenced block; anything else on that line belongs to the program. */
const FENCE = /^[ \t]*(`{3,}|~{3,})[ \t]*([\w+#-]*)[ \t]*$/;

/**
 * The program in a model's reply: its fenced block (where there are several, the first that sets OUTPUT),
 * else the whole reply. Empty when the reply holds nothing. Linear.
 */
export function programIn(reply: string): string {
  const blocks: string[] = [];
  let open: { readonly fence: string; readonly lines: string[] } | undefined;
  for (const line of reply.split(/\r?\n/)) {
    const fence = FENCE.exec(line);
    if (open === undefined) {
      if (fence !== null) open = { fence: fence[1] ?? '', lines: [] };
    } else if (fence !== null && fence[2] === '' && (fence[1] ?? '').startsWith(open.fence)) {
      blocks.push(open.lines.join('\n'));
      open = undefined;
    } else open.lines.push(line);
  }
  // A reply that was cut off does not close its fence.
  if (open !== undefined) blocks.push(open.lines.join('\n'));
  const program = blocks.find((block) => /\bOUTPUT\b/.test(block)) ?? blocks[0] ?? reply;
  return program.trim() === '' ? '' : program;
}
