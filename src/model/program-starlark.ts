import type { ProgramPrompt } from './program-prompt.ts';
import { type Choice, LEAST_SHARE, MOST_LINES } from './program-signs.ts';

/** A Starlark program over INPUT that chooses lines. */
export function starlarkLines({ keep, terms }: ProgramPrompt, choice: Choice): string {
  const { signs, after, head, tail, leftOut } = choice;
  return `names = ${JSON.stringify(keep)}
signs = ${JSON.stringify([...signs, ...terms])}
lines = INPUT.split("\\n")
kept = {}

def holds(line, words):
    for word in words:
        if word in line:
            return True
    return False

for name in names:
    holding = [at for at in range(len(lines)) if name in lines[at]]
    if len(holding) > ${MOST_LINES}:
        holding = holding[:${MOST_LINES - 1}] + holding[-1:]
    for at in holding:
        kept[at] = True
for at in range(len(lines)):
    if at < ${head} or at >= len(lines) - ${tail}:
        kept[at] = True
    if holds(lines[at], signs):
        for next in range(at, min(at + ${after + 1}, len(lines))):
            kept[next] = True
size = 0
for at in kept:
    size += len(lines[at]) + 1
for at in range(len(lines)):
    if size < ${LEAST_SHARE} * len(INPUT) and at not in kept:
        kept[at] = True
        size += len(lines[at]) + 1
OUTPUT = "\\n".join([lines[at] for at in range(len(lines)) if at in kept])
SUMMARY = "%d of %d lines left out: ${leftOut}" % (len(lines) - len(kept), len(lines))
`;
}

/** A Starlark program that leaves list items out of a JSON value; Starlark has no recursion. */
export function starlarkJson({ keep, terms }: ProgramPrompt, blind: boolean): string {
  return `wanted = ${JSON.stringify(blind ? [] : [...keep, ...terms])}

def pruned(items):
    if type(items) != "list" or len(items) < 4:
        return items
    texts = [json.encode(item) for item in items]
    total = 0
    for text in texts:
        total += len(text)
    kept = []
    size = 0
    for at in range(len(items)):
        stays = at == 0 or size < ${LEAST_SHARE} * total
        for name in wanted:
            if name in texts[at]:
                stays = True
        if stays:
            kept.append(items[at])
            size += len(texts[at])
    return kept

data = json.decode(INPUT)
if type(data) == "dict":
    for key in list(data.keys()):
        data[key] = pruned(data[key])
else:
    data = pruned(data)
OUTPUT = json.encode(data)
SUMMARY = "items without what the task names are left out"
`;
}

/** The first look of an exploration. */
export const STARLARK_LOOK = `shown = INPUT.split("\\n")[:40]
print("\\n".join(shown))
`;
