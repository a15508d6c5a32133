/**
 * What JavaScript programs find beside the language, and what is taken from them: randomness, and making code
 * from text. Runs inside the machine, before the program.
 */

const PRINT_LIMIT = 65_536;
const { parse, stringify } = JSON;
const { hostRegexp, hostAsk } = globalThis;
const TAKEN = ['hostRegexp', 'hostJson', 'hostAsk', 'hostExhausted', 'eval'];
for (const name of TAKEN) delete globalThis[name];

delete Math.random;

// Each kind of function has a constructor that makes code from text.
function refuse() {
  throw new TypeError('making code from text is not available in the sandbox');
}
const kinds = [
  function plain() {},
  function* generator() {},
  async function later() {},
  async function* both() {},
];
for (const kind of kinds) {
  const prototype = Object.getPrototypeOf(kind);
  Object.defineProperty(prototype, 'constructor', { value: refuse });
}
refuse.prototype = Function.prototype;
Object.defineProperty(globalThis, 'Function', { value: refuse });

let printedText = '';

function show(value) {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

function print(...values) {
  const text = `${values.map(show).join(' ')}\n`;
  printedText += text.slice(0, Math.max(0, PRINT_LIMIT - printedText.length));
}

function matches(pattern, text, limit) {
  const source = pattern instanceof RegExp ? pattern.source : String(pattern);
  const flags = pattern instanceof RegExp ? pattern.flags : '';
  const found = parse(hostRegexp(source, flags, String(text), limit, ''));
  if (found.error !== undefined) throw new SyntaxError(found.error);
  return found.matches.map((spans) => {
    const groups = [];
    for (let at = 0; at < spans.length; at += 2) {
      groups.push(spans[at] < 0 ? null : text.slice(spans[at], spans[at + 1]));
    }
    return { start: spans[0], end: spans[1], groups };
  });
}

/** Linear-time regular expressions, in the syntax of RE2. */
const linear = {
  re_match(pattern, text) {
    return matches(pattern, text, 1)[0]?.groups ?? null;
  },
  re_findall(pattern, text) {
    return matches(pattern, text, 0).map(({ groups: [whole, ...groups] }) =>
      groups.length === 0 ? whole : groups.length === 1 ? (groups[0] ?? '') : groups,
    );
  },
  re_split(pattern, text) {
    let from = 0;
    const parts = matches(pattern, text, 0).map(({ start, end }) => {
      const part = text.slice(from, start);
      from = end;
      return part;
    });
    return [...parts, text.slice(from)];
  },
  re_sub(pattern, replacement, text) {
    let from = 0;
    let result = '';
    for (const { start, end, groups } of matches(pattern, text, 0)) {
      const fresh =
        typeof replacement === 'function'
          ? String(replacement(...groups))
          : String(replacement).replace(/[\\$](\d)/g, (all, index) => groups[index] ?? all);
      result += text.slice(from, start) + fresh;
      from = end;
    }
    return result + text.slice(from);
  },
};

const json = {
  decode: (text) => parse(text),
  encode: (value) => stringify(value),
  loads: (text) => parse(text),
  dumps: (value) => stringify(value),
};

function ask(question, piece = '') {
  const answer = parse(hostAsk(String(question), String(piece)));
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer.text;
}

const console = { log: print, info: print, warn: print, error: print, debug: print };

for (const [name, value] of Object.entries({ ...linear, json, ask, print, console })) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}

/** The host's end. It is frozen, and the host reads through it alone. */
const machine = {
  begin(input) {
    Object.defineProperty(globalThis, 'INPUT', {
      value: input,
      writable: true,
      configurable: true,
    });
  },
  printed() {
    const text = printedText;
    printedText = '';
    return text;
  },
  typeOf(value) {
    if (value === undefined) return '';
    if (value === null) return 'null';
    return Array.isArray(value) ? 'array' : typeof value;
  },
};
Object.defineProperty(globalThis, '__sandbox', { value: Object.freeze(machine) });
