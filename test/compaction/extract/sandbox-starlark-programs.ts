/** Programs of the kind that a model writes, and what CPython 3.11 gives for them. */

export interface StarlarkProgram {
  readonly name: string;
  readonly input: string;
  readonly code: string;
  readonly output: string;
  readonly summary?: string;
}

const LOG =
  '2024-05-01 10:00:00,120 INFO  worker-1 start job=build-17 retries=0\n2024-05-01 10:00:01,003 DEBUG worker-1 cache hit key=deps/linux-x64 took=12ms\n2024-05-01 10:00:02,450 WARN  worker-2 slow query took=1830ms table=orders\n2024-05-01 10:00:02,900 ERROR worker-2 FAILED test_checkout_total: expected 12.50, got 12.5\nTraceback (most recent call last):\n  File "shop/tests/test_cart.py", line 88, in test_checkout_total\n    assert total == Decimal("12.50")\nAssertionError: 12.5 != 12.50\n2024-05-01 10:00:03,001 DEBUG worker-1 cache hit key=deps/linux-x64 took=9ms\n2024-05-01 10:00:04,777 INFO  worker-3 upload done bytes=1048576 took=340ms\n2024-05-01 10:00:05,100 ERROR worker-3 connection reset by peer: db-7.internal:5432\n2024-05-01 10:00:06,000 INFO  worker-1 done job=build-17 status=failed\n';

const HITS =
  '{"total": 5, "took": 3.0, "hits": [{"_id": 9007199254740993, "_score": 1.0, "path": "src/cart/total.py", "tags": ["money", "core"], "snippet": "def total(items):", "meta": null}, {"_id": 2, "_score": 0.75, "path": "src/cart/tax.py", "tags": [], "snippet": "TAX = 0.2", "meta": {"owner": "ann", "lines": 40}}, {"_id": 3, "_score": 0.5, "path": "docs/cart.md", "tags": ["docs"], "snippet": "The cart – an overview", "meta": {"owner": "bob", "lines": 7}}, {"_id": 4, "_score": 0.25, "path": "tests/test_tax.py", "tags": ["test", "core"], "snippet": "def test_tax():", "meta": {"owner": "ann", "lines": 12}}, {"_id": 5, "_score": 0.125, "path": "vendor/lib.min.js", "tags": ["vendor"], "snippet": "!function(){}", "meta": null}]}';

const SRC =
  'import os\nimport sys\nfrom decimal import Decimal\n\n\nclass Cart:\n    """A cart of items."""\n\n    def __init__(self, items=None):\n        self.items = list(items or [])\n\n    # total in the shop\'s currency\n    def total(self, rate=Decimal("0.2")):\n        net = sum(item.price * item.count for item in self.items)\n        return net * (1 + rate)\n\n    def clear(self):\n        self.items = []\n\n\ndef main(argv):\n    cart = Cart()\n    print(cart.total())\n    return 0\n\n\nif __name__ == "__main__":\n    sys.exit(main(sys.argv))\n';

const GREP =
  'src/cart/total.py:12:def total(items):\nsrc/cart/total.py:40:    return total(items) * rate\nsrc/cart/tax.py:3:TAX = Decimal("0.2")  # total tax\ndocs/cart.md:7:The total is shown at the bottom.\ntests/test_tax.py:9:def test_total():\ntests/test_tax.py:22:    assert total([]) == 0\nvendor/lib.min.js:1:!function(){var total=0}()\n';

export const PROGRAMS: readonly StarlarkProgram[] = [
  {
    name: 'errors and their traces, with an index window',
    input: LOG,
    code: String.raw`lines = INPUT.split("\n")
keep = {}
for i, line in enumerate(lines):
    if "ERROR" in line or "Traceback" in line:
        for j in range(max(0, i - 1), min(len(lines), i + 4)):
            keep[j] = True
OUTPUT = "\n".join([lines[i] for i in sorted(keep.keys())])
SUMMARY = "kept %d of %d lines" % (len(keep), len(lines))
`,
    output:
      '2024-05-01 10:00:02,450 WARN  worker-2 slow query took=1830ms table=orders\n2024-05-01 10:00:02,900 ERROR worker-2 FAILED test_checkout_total: expected 12.50, got 12.5\nTraceback (most recent call last):\n  File "shop/tests/test_cart.py", line 88, in test_checkout_total\n    assert total == Decimal("12.50")\nAssertionError: 12.5 != 12.50\n2024-05-01 10:00:04,777 INFO  worker-3 upload done bytes=1048576 took=340ms\n2024-05-01 10:00:05,100 ERROR worker-3 connection reset by peer: db-7.internal:5432\n2024-05-01 10:00:06,000 INFO  worker-1 done job=build-17 status=failed\n',
    summary: 'kept 10 of 13 lines',
  },
  {
    name: 'a generator expression and startswith with a tuple',
    input: LOG,
    code: String.raw`lines = INPUT.splitlines()
OUTPUT = "\n".join(l for l in lines if not l.startswith(("  ", "Traceback")) and "DEBUG" not in l)
n = sum(1 for l in lines if "DEBUG" in l)
SUMMARY = f"dropped {n} debug lines ({n / len(lines):.1%})"
`,
    output:
      '2024-05-01 10:00:00,120 INFO  worker-1 start job=build-17 retries=0\n2024-05-01 10:00:02,450 WARN  worker-2 slow query took=1830ms table=orders\n2024-05-01 10:00:02,900 ERROR worker-2 FAILED test_checkout_total: expected 12.50, got 12.5\nAssertionError: 12.5 != 12.50\n2024-05-01 10:00:04,777 INFO  worker-3 upload done bytes=1048576 took=340ms\n2024-05-01 10:00:05,100 ERROR worker-3 connection reset by peer: db-7.internal:5432\n2024-05-01 10:00:06,000 INFO  worker-1 done job=build-17 status=failed',
    summary: 'dropped 2 debug lines (16.7%)',
  },
  {
    name: 'annotations and a typed function',
    input: LOG,
    code: String.raw`from typing import List, Optional

def important(line: str, levels: List[str] = ["WARN", "ERROR"]) -> bool:
    """Whether a line matters."""
    return any(level in line for level in levels)

kept: List[str] = []
last: Optional[str] = None
for line in INPUT.splitlines():
    if important(line):
        kept.append(line)
        last = line
OUTPUT = "\n".join(kept)
SUMMARY = f"{len(kept)=} last={last[:19]!r}"
`,
    output:
      '2024-05-01 10:00:02,450 WARN  worker-2 slow query took=1830ms table=orders\n2024-05-01 10:00:02,900 ERROR worker-2 FAILED test_checkout_total: expected 12.50, got 12.5\n2024-05-01 10:00:05,100 ERROR worker-3 connection reset by peer: db-7.internal:5432',
    summary: "len(kept)=3 last='2024-05-01 10:00:05'",
  },
  {
    name: 're_findall with one group and with two',
    input: LOG,
    code: String.raw`took = re_findall(r"took=(\d+)ms", INPUT)
pairs = re_findall(r"(worker-\d) (\w+)", INPUT)
counts = {}
for worker, word in pairs:
    counts[worker] = counts.get(worker, 0) + 1
OUTPUT = ",".join(took) + "|" + str(sorted(counts.items(), key=lambda kv: (-kv[1], kv[0])))
SUMMARY = "slowest %s ms" % max([int(t) for t in took])
`,
    output: "12,1830,9,340|[('worker-1', 4), ('worker-2', 2), ('worker-3', 2)]",
    summary: 'slowest 1830 ms',
  },
  {
    name: 're_sub with groups, and re_split',
    input: LOG,
    code: String.raw`out = []
for line in INPUT.splitlines():
    line = re_sub(r"^(\d{4})-(\d\d)-(\d\d) ", r"\3.\2. ", line)
    fields = re_split(r"\s+", line.strip())
    if len(fields) > 3:
        out.append(fields[2].ljust(6) + "|" + " ".join(fields[3:6]))
OUTPUT = "\n".join(out)
`,
    output:
      'INFO  |worker-1 start job=build-17\nDEBUG |worker-1 cache hit\nWARN  |worker-2 slow query\nERROR |worker-2 FAILED test_checkout_total:\nrecent|call last):\nline  |88, in test_checkout_total\n==    |Decimal("12.50")\n!=    |12.50\nDEBUG |worker-1 cache hit\nINFO  |worker-3 upload done\nERROR |worker-3 connection reset\nINFO  |worker-1 done job=build-17',
  },
  {
    name: 're_match as a condition',
    input: LOG,
    code: String.raw`def is_stamp(line):
    return re_match(r"^\d{4}-\d{2}-\d{2}", line)

stamped = [l for l in INPUT.split("\n") if is_stamp(l)]
loose = [l for l in INPUT.split("\n") if l and not is_stamp(l)]
OUTPUT = "\n".join(loose)
SUMMARY = "{} stamped, {} loose".format(len(stamped), len(loose))
`,
    output:
      'Traceback (most recent call last):\n  File "shop/tests/test_cart.py", line 88, in test_checkout_total\n    assert total == Decimal("12.50")\nAssertionError: 12.5 != 12.50',
    summary: '8 stamped, 4 loose',
  },
  {
    name: 'JSON hits projected, and big integers kept',
    input: HITS,
    code: `data = json.decode(INPUT)
hits = [{"_id": h["_id"], "path": h["path"], "_score": h["_score"]} for h in data["hits"] if not h["path"].startswith("vendor/")]
OUTPUT = json.encode({"total": data["total"], "hits": hits})
SUMMARY = "%d of %d hits" % (len(hits), data["total"])
`,
    output:
      '{"total":5,"hits":[{"_id":9007199254740993,"path":"src/cart/total.py","_score":1.0},{"_id":2,"path":"src/cart/tax.py","_score":0.75},{"_id":3,"path":"docs/cart.md","_score":0.5},{"_id":4,"path":"tests/test_tax.py","_score":0.25}]}',
    summary: '4 of 5 hits',
  },
  {
    name: 'json.loads, dumps with indent, and None',
    input: HITS,
    code: `import json

data = json.loads(INPUT)
best = sorted(data["hits"], key=lambda h: h["_score"], reverse=True)[:2]
for hit in best:
    owner = (hit.get("meta") or {}).get("owner", "nobody")
    hit["owner"] = owner
    hit.pop("snippet", None)
OUTPUT = json.dumps(best, indent=2)
`,
    output:
      '[\n  {\n    "_id": 9007199254740993,\n    "_score": 1.0,\n    "path": "src/cart/total.py",\n    "tags": [\n      "money",\n      "core"\n    ],\n    "meta": null,\n    "owner": "nobody"\n  },\n  {\n    "_id": 2,\n    "_score": 0.75,\n    "path": "src/cart/tax.py",\n    "tags": [],\n    "meta": {\n      "owner": "ann",\n      "lines": 40\n    },\n    "owner": "ann"\n  }\n]',
  },
  {
    name: 'json.dumps escapes, sorts and separates',
    input: HITS,
    code: String.raw`data = json.loads(INPUT)
docs = [h for h in data["hits"] if "docs" in h["tags"]]
OUTPUT = json.dumps(docs, sort_keys=True, separators=(",", ":")) + "\n" + json.dumps(docs[0]["snippet"], ensure_ascii=False)
`,
    output:
      '[{"_id":3,"_score":0.5,"meta":{"lines":7,"owner":"bob"},"path":"docs/cart.md","snippet":"The cart \\u2013 an overview","tags":["docs"]}]\n"The cart – an overview"',
  },
  {
    name: 'nested comprehensions, sets and dict order',
    input: HITS,
    code: `data = json.decode(INPUT)
tags = {tag for h in data["hits"] for tag in h["tags"]}
by_owner = {}
for h in data["hits"]:
    by_owner.setdefault(h["meta"]["owner"] if h["meta"] else None, []).append(h["_id"])
OUTPUT = str(sorted(tags)) + str(by_owner) + str({k: len(v) for k, v in by_owner.items() if k})
SUMMARY = "%s" % (sorted(tags & {"core", "docs", "x"}),)
`,
    output:
      "['core', 'docs', 'money', 'test', 'vendor']{None: [9007199254740993, 5], 'ann': [2, 4], 'bob': [3]}{'ann': 2, 'bob': 1}",
    summary: "['core', 'docs']",
  },
  {
    name: 'a recursive walk with isinstance',
    input: HITS,
    code: String.raw`def walk(node, path=""):
    found = []
    if isinstance(node, dict):
        for key, value in node.items():
            found += walk(value, path + "/" + key)
    elif isinstance(node, (list, tuple)):
        for i, value in enumerate(node):
            found.extend(walk(value, f"{path}[{i}]"))
    elif isinstance(node, str) and "cart" in node:
        found.append((path, len(node)))
    return found

OUTPUT = "\n".join(f"{p}: {n:>3}" for p, n in walk(json.decode(INPUT)))
`,
    output: '/hits[0]/path:  17\n/hits[1]/path:  15\n/hits[2]/path:  12\n/hits[2]/snippet:  22',
  },
  {
    name: 'the average of floats',
    input: HITS,
    code: `scores = [h["_score"] for h in json.decode(INPUT)["hits"]]
mean = sum(scores) / len(scores)
OUTPUT = f"{mean} {mean:.3f} {round(mean, 2)} {max(scores)} {min(scores)} {scores}"
SUMMARY = "%.2f%% %5.1f|%-6s|%06.2f|%+d|%x" % (mean * 100, mean, "ab", mean, 7, 255)
`,
    output: '0.525 0.525 0.53 1.0 0.125 [1.0, 0.75, 0.5, 0.25, 0.125]',
    summary: '52.50%   0.5|ab    |000.53|+7|ff',
  },
  {
    name: 'the signatures of a source file',
    input: SRC,
    code: String.raw`out = []
for number, line in enumerate(INPUT.split("\n"), start=1):
    stripped = line.strip()
    if stripped.startswith("def ") or stripped.startswith("class "):
        indent = len(line) - len(line.lstrip())
        out.append("%4d %s%s" % (number, " " * indent, stripped.rstrip(":")))
OUTPUT = "\n".join(out)
SUMMARY = "{0} definitions, {1:.0f}% of the lines".format(len(out), 100 * len(out) / INPUT.count("\n"))
`,
    output:
      '   6 class Cart\n   9     def __init__(self, items=None)\n  13     def total(self, rate=Decimal("0.2"))\n  17     def clear(self)\n  21 def main(argv)',
    summary: '5 definitions, 18% of the lines',
  },
  {
    name: 'one function of a source file, by its indentation',
    input: SRC,
    code: String.raw`def extract(lines, name):
    taken = []
    inside = False
    depth = 0
    for line in lines:
        if not inside and line.strip().startswith("def " + name):
            inside = True
            depth = len(line) - len(line.lstrip(" "))
            taken.append(line)
            continue
        if inside:
            if line.strip() and len(line) - len(line.lstrip(" ")) <= depth:
                break
            taken.append(line)
    while taken and not taken[-1].strip():
        taken.pop()
    return taken

OUTPUT = "\n".join(extract(INPUT.splitlines(), "total"))
`,
    output:
      '    def total(self, rate=Decimal("0.2")):\n        net = sum(item.price * item.count for item in self.items)\n        return net * (1 + rate)',
  },
  {
    name: 'comments and blank runs dropped with while',
    input: SRC,
    code: `lines = INPUT.splitlines(True)
i = 0
out = ""
blank = False
while i < len(lines):
    line = lines[i]
    i += 1
    if line.lstrip().startswith("#"):
        continue
    if not line.strip():
        if blank:
            continue
        blank = True
    else:
        blank = False
    out += line
OUTPUT = out
`,
    output:
      'import os\nimport sys\nfrom decimal import Decimal\n\nclass Cart:\n    """A cart of items."""\n\n    def __init__(self, items=None):\n        self.items = list(items or [])\n\n    def total(self, rate=Decimal("0.2")):\n        net = sum(item.price * item.count for item in self.items)\n        return net * (1 + rate)\n\n    def clear(self):\n        self.items = []\n\ndef main(argv):\n    cart = Cart()\n    print(cart.total())\n    return 0\n\nif __name__ == "__main__":\n    sys.exit(main(sys.argv))\n',
  },
  {
    name: 'search hits grouped by file',
    input: GREP,
    code: String.raw`files = {}
order = []
for row in INPUT.strip().split("\n"):
    path, number, text = row.split(":", 2)
    if path not in files:
        files[path] = []
        order.append(path)
    files[path].append((int(number), text.strip()))
chunks = []
for path in order:
    chunks.append(path + " (" + str(len(files[path])) + ")")
    for number, text in files[path]:
        chunks.append("  %d: %s" % (number, text[:20] + "..." if len(text) > 20 else text))
OUTPUT = "\n".join(chunks)
`,
    output:
      'src/cart/total.py (2)\n  12: def total(items):\n  40: return total(items) ...\nsrc/cart/tax.py (1)\n  3: TAX = Decimal("0.2")...\ndocs/cart.md (1)\n  7: The total is shown a...\ntests/test_tax.py (2)\n  9: def test_total():\n  22: assert total([]) == ...\nvendor/lib.min.js (1)\n  1: !function(){var tota...',
  },
  {
    name: 'Counter, defaultdict and a lambda over tuples',
    input: GREP,
    code: String.raw`from collections import Counter, defaultdict
import re

kinds = Counter(row.split(":")[0].rsplit(".", 1)[-1] for row in INPUT.splitlines())
where = defaultdict(list)
for row in INPUT.splitlines():
    m = re.match(r"(?P<dir>\w+)/.*?:(\d+):", row)
    if m:
        where[m.group("dir")].append(int(m.group(2)))
OUTPUT = str(kinds.most_common(2)) + str(dict(where)) + re.sub(r"\d+", lambda m: str(int(m.group()) * 2), "a1b22")
`,
    output:
      "[('py', 5), ('md', 1)]{'src': [12, 40, 3], 'docs': [7], 'tests': [9, 22], 'vendor': [1]}a2b44",
  },
  {
    name: 'try, except, else and finally',
    input: GREP,
    code: String.raw`good, bad = [], []
for row in (INPUT + "broken line\n:x:y").splitlines():
    try:
        path, number, text = row.split(":", 2)
        value = int(number)
    except ValueError as error:
        bad.append("%s -> %s" % (row, str(error)))
    else:
        good.append(value)
    finally:
        pass
OUTPUT = str(good) + "\n" + "\n".join(bad)
`,
    output:
      "[12, 40, 3, 7, 9, 22, 1]\nbroken line -> not enough values to unpack (expected 3, got 1)\n:x:y -> invalid literal for int() with base 10: 'x'",
  },
  {
    name: 'slices, zip, min with a key, any, all and a ternary',
    input: GREP,
    code: `rows = [r.split(":", 2) for r in INPUT.splitlines()]
numbers = [int(r[1]) for r in rows]
widest = max(rows, key=lambda r: len(r[2]))
pairs = [(a, b) for a, b in zip(numbers, numbers[1:]) if a < b]
flags = [any(n > 30 for n in numbers), all(n > 0 for n in numbers), True + True, not numbers]
OUTPUT = str(pairs[::-1]) + widest[0][-8:] + str(flags) + ("many" if len(rows) > 5 else "few") + str(numbers[-3:][::2]) + str([*numbers[:2], *"ab"])
SUMMARY = "|{:>10}|{:<6}|{:^7}|{:,}|{!r}".format("right", "left", "mid", 1234567, "it's")
`,
    output:
      "[(9, 22), (7, 9), (3, 7), (12, 40)]t/tax.py[True, True, 2, False]many[9, 1][12, 40, 'a', 'b']",
    summary: '|     right|left  |  mid  |1,234,567|"it\'s"',
  },
  {
    name: 'a closure, nonlocal, star arguments and unpacking',
    input: GREP,
    code: `def counter(*prefixes, **options):
    seen = 0
    def step(row):
        nonlocal seen
        if row.startswith(prefixes):
            seen += options.get("step", 1)
        return seen
    return step

step = counter("src/", "tests/", step=2)
totals = [step(row) for row in INPUT.splitlines()]
first, *middle, last = totals
(a, b), c = (1, 2), 3
a, b = b, a
OUTPUT = f"{first} {middle} {last} {a}{b}{c} {totals[-1] // 3} {-7 // 2} {-7 % 3} {2 ** 70}"
`,
    output: '2 [4, 6, 6, 8, 10] 10 213 3 -4 2 1180591620717411303424',
  },
  {
    name: 'characters above U+FFFF, case and splitting',
    input: LOG,
    code: String.raw`text = "caf\u00e9 \U0001F600 na\u00efve \U0001F680!"
parts = text.split()
OUTPUT = "|".join([str(len(text)), text[5], text[::-1], text.upper(), str(text.find("na")), text.center(30, "*"), str([len(p) for p in parts]), str(ord(text[5])), chr(128640), text.title()])
`,
    output:
      '15|😀|!🚀 evïan 😀 éfac|CAFÉ 😀 NAÏVE 🚀!|7|*******café 😀 naïve 🚀!********|[4, 1, 5, 2]|128512|🚀|Café 😀 Naïve 🚀!',
  },
  {
    name: 'partition, strip sets, replace with a count and joins',
    input: LOG,
    code: String.raw`out = []
for line in INPUT.splitlines():
    head, sep, tail = line.partition(" took=")
    if sep:
        out.append(tail.rstrip("ms abcdefghijklnopqrtuvwxyz=") + ":" + head.replace("0", "o", 2)[:12] + ":" + head.rpartition(" ")[2].strip("hk/"))
OUTPUT = "\n".join(out) + str("a,b,,c".split(",")) + str(" x  y ".split()) + "-".join(sorted("banana")) + "x".zfill(4) + "%s" % None + str(1e16) + str(0.1 + 0.2) + str(1 / 3)
`,
    output:
      "12:2o24-o5-01 1:ey=deps/linux-x64\n1830:2o24-o5-01 1:query\n9:2o24-o5-01 1:ey=deps/linux-x64\n340:2o24-o5-01 1:bytes=1048576['a', 'b', '', 'c']['x', 'y']a-a-a-b-n-n000xNone1e+160.300000000000000040.3333333333333333",
  },
];
