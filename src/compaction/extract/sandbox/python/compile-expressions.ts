/** Compiles expressions to JavaScript over the runtime's helpers. */

import { type Frames, local } from './frames.ts';
import type { Argument, Clause, Expression, FormatPart, Parameters } from './syntax.ts';

const BINARY: Readonly<Record<string, string>> = {
  '+': 'add',
  '-': 'subtract',
  '*': 'multiply',
  '/': 'divide',
  '//': 'floorDivide',
  '%': 'modulo',
  '**': 'power',
  '&': 'bitAnd',
  '|': 'bitOr',
  '^': 'bitXor',
  '<<': 'shiftLeft',
  '>>': 'shiftRight',
};

const COMPARE: Readonly<Record<string, string>> = {
  '==': 'equal',
  '!=': 'unequal',
  '<': 'less',
  '<=': 'lessOrEqual',
  '>': 'greater',
  '>=': 'greaterOrEqual',
  in: 'within',
  'not in': 'notWithin',
  is: 'same',
  'is not': 'notSame',
};

const MAX_SAFE_DIGITS = 15;

export function compileExpression(frames: Frames, node: Expression): string {
  switch (node.kind) {
    case 'name':
      return frames.read(node.name);
    case 'integer':
      return node.digits.length > MAX_SAFE_DIGITS
        ? helped(frames, 'integer', `${node.digits}n`)
        : node.digits;
    case 'float':
      return frames.constant(helped(frames, 'float', node.text));
    case 'string':
      return JSON.stringify(node.value);
    case 'bytes':
      return helped(frames, 'bytes', JSON.stringify(node.value));
    case 'constant':
      return { True: 'true', False: 'false', None: 'null' }[node.value];
    case 'format':
      return `(${['""', ...node.parts.map((part) => compileFormat(frames, part))].join('+')})`;
    case 'sequence': {
      const items = `[${node.items.map((item) => compileItem(frames, item)).join(',')}]`;
      if (node.type === 'list') return items;
      return helped(frames, node.type === 'tuple' ? 'tuple' : 'makeSet', items);
    }
    case 'dict': {
      const entries = node.entries.map(({ key, value }) =>
        key === undefined
          ? `${frames.helper('spread')},${compileExpression(frames, value)}`
          : `${compileExpression(frames, key)},${compileExpression(frames, value)}`,
      );
      return helped(frames, 'makeDict', `[${entries.join(',')}]`);
    }
    case 'unary':
      if (node.operator === 'not') return `(!${compileCondition(frames, node.operand)})`;
      if (node.operator === '-')
        return helped(frames, 'negate', compileExpression(frames, node.operand));
      return helped(
        frames,
        node.operator === '+' ? 'positive' : 'invert',
        compileExpression(frames, node.operand),
      );
    case 'binary':
      return binary(
        frames,
        node.operator,
        compileExpression(frames, node.left),
        compileExpression(frames, node.right),
      );
    case 'logic': {
      const temporary = frames.temporary();
      const test = `${frames.helper('truth')}(${temporary}=${compileExpression(frames, node.left)})`;
      const right = compileExpression(frames, node.right);
      return node.operator === 'and'
        ? `(${test}?${right}:${temporary})`
        : `(${test}?${temporary}:${right})`;
    }
    case 'compare':
      return compileCompare(frames, node);
    case 'conditional':
      return `(${compileCondition(frames, node.condition)}?${compileExpression(frames, node.consequent)}:${compileExpression(frames, node.alternative)})`;
    case 'call':
      return compileCall(frames, node.callee, node.arguments);
    case 'attribute':
      return helped(
        frames,
        'attribute',
        compileExpression(frames, node.object),
        JSON.stringify(node.name),
      );
    case 'subscript': {
      const { index } = node;
      if (index.kind !== 'slice')
        return helped(
          frames,
          'getItem',
          compileExpression(frames, node.object),
          compileExpression(frames, index),
        );
      return helped(
        frames,
        'getSlice',
        compileExpression(frames, node.object),
        ...compileSlice(frames, index),
      );
    }
    case 'slice':
      return helped(frames, 'slice', ...compileSlice(frames, node));
    case 'lambda': {
      const body = frames.inFunction(node.scope, parameterNames(node.parameters), () => {
        const code = compileExpression(frames, node.body);
        return `${frames.declareTemporaries()}return ${code};`;
      });
      return compileFunction(frames, '<lambda>', node.parameters, body, false);
    }
    case 'comprehension':
      return compileComprehension(frames, node);
    case 'starred':
      return helped(frames, 'misplacedStar');
    case 'walrus':
      return `(${frames.walrusTarget(node.name)}=${compileExpression(frames, node.value)})`;
    case 'yield': {
      const value = node.value === undefined ? 'null' : compileExpression(frames, node.value);
      return node.from
        ? `(yield* ${helped(frames, 'iterate', value)},null)`
        : `(yield ${value},null)`;
    }
  }
}

function helped(frames: Frames, name: string, ...codes: readonly string[]): string {
  return `${frames.helper(name)}(${codes.join(',')})`;
}

export function binary(frames: Frames, operator: string, left: string, right: string): string {
  return `${frames.helper(BINARY[operator] ?? 'add')}(${left},${right})`;
}

/** A JavaScript boolean: the truth of a Python value. */
export function compileCondition(frames: Frames, node: Expression): string {
  if (node.kind === 'compare' || (node.kind === 'unary' && node.operator === 'not')) {
    return compileExpression(frames, node);
  }
  if (node.kind === 'logic') {
    const sign = node.operator === 'and' ? '&&' : '||';
    return `(${compileCondition(frames, node.left)}${sign}${compileCondition(frames, node.right)})`;
  }
  return `${frames.helper('truth')}(${compileExpression(frames, node)})`;
}

export function compileSlice(
  frames: Frames,
  node: Extract<Expression, { kind: 'slice' }>,
): string[] {
  return [node.start, node.stop, node.step].map((part) =>
    part === undefined ? 'null' : compileExpression(frames, part),
  );
}

function compileItem(frames: Frames, node: Expression): string {
  if (node.kind !== 'starred') return compileExpression(frames, node);
  return `...${frames.helper('iterate')}(${compileExpression(frames, node.value)})`;
}

function compileCompare(frames: Frames, node: Extract<Expression, { kind: 'compare' }>): string {
  let left = compileExpression(frames, node.first);
  const tests = node.rest.map(({ operator, right }, index) => {
    const helper = frames.helper(COMPARE[operator] ?? 'equal');
    const code = compileExpression(frames, right);
    if (index === node.rest.length - 1) return `${helper}(${left},${code})`;
    const temporary = frames.temporary();
    const test = `${helper}(${left},${temporary}=${code})`;
    left = temporary;
    return test;
  });
  return tests.length === 1 ? (tests[0] ?? '') : `(${tests.join('&&')})`;
}

function compileFormat(frames: Frames, part: FormatPart): string {
  if (part.kind === 'text') return JSON.stringify(part.value);
  const specification = part.specification.map((piece) => compileFormat(frames, piece));
  const value = compileExpression(frames, part.value);
  const pieces = specification.length === 0 ? '""' : ['""', ...specification].join('+');
  return `${frames.helper('formatField')}(${value},${JSON.stringify(part.conversion)},${pieces})`;
}

function compileCall(frames: Frames, callee: Expression, list: readonly Argument[]): string {
  const positional: string[] = [];
  const keywords: string[] = [];
  for (const argument of list) {
    const code = compileExpression(frames, argument.value);
    if (argument.kind === 'positional') positional.push(code);
    else if (argument.kind === 'star') positional.push(`...${frames.helper('iterate')}(${code})`);
    else if (argument.kind === 'keyword') keywords.push(`${JSON.stringify(argument.name)},${code}`);
    else keywords.push(`${frames.helper('spread')},${code}`);
  }
  const values = `[${positional.join(',')}]`;
  const named =
    keywords.length === 0 ? 'null' : `${frames.helper('keywords')}([${keywords.join(',')}])`;
  if (callee.kind === 'attribute') {
    const object = compileExpression(frames, callee.object);
    return `${frames.helper('callMethod')}(${object},${JSON.stringify(callee.name)},${values},${named})`;
  }
  return `${frames.helper('call')}(${compileExpression(frames, callee)},${values},${named})`;
}

export function parameterNames(parameters: Parameters): string[] {
  const { positional, keywordOnly, rest, keywords } = parameters;
  const names = [...positional, ...keywordOnly].map((parameter) => parameter.name);
  for (const extra of [rest, keywords]) if (extra !== undefined) names.push(extra);
  return names;
}

/** A Python function takes an array of positional arguments, and a table of keyword ones or null. */
export function compileFunction(
  frames: Frames,
  name: string,
  parameters: Parameters,
  body: string,
  generator: boolean,
): string {
  const { positional, keywordOnly, rest, keywords } = parameters;
  const fallbacks = [...positional, ...keywordOnly].flatMap((parameter) =>
    parameter.fallback === undefined
      ? []
      : [`${JSON.stringify(parameter.name)},${compileExpression(frames, parameter.fallback)}`],
  );
  const names = parameterNames(parameters);
  const signature = [
    JSON.stringify(name),
    JSON.stringify(positional.map((parameter) => parameter.name)),
    JSON.stringify(keywordOnly.map((parameter) => parameter.name)),
    String(rest !== undefined),
    String(keywords !== undefined),
    `${frames.helper('keywords')}([${fallbacks.join(',')}])`,
  ].join(',');
  const isPlain = keywordOnly.length === 0 && rest === undefined && keywords === undefined;
  const bind = isPlain
    ? `if(k!==null||a.length!==${names.length})a=${frames.helper('bind')}(s,a,k);`
    : `a=${frames.helper('bind')}(s,a,k);`;
  const declared = names.map((parameter, index) => `${local(parameter)}=a[${index}]`);
  const head = declared.length === 0 ? bind : `${bind}let ${declared.join(',')};`;
  const run = generator ? `return(function*(){${body}})();` : body;
  return `${frames.helper('define')}(${signature},(s)=>(a,k)=>{${head}${run}})`;
}

function compileComprehension(
  frames: Frames,
  node: Extract<Expression, { kind: 'comprehension' }>,
): string {
  const [first, ...others] = node.clauses;
  if (first === undefined) return 'null';
  // The first iterable belongs to the scope around, so it comes in as an argument.
  const source = `${frames.helper('iterate')}(${compileExpression(frames, first.iterable)})`;
  const targets = new Set<string>();
  for (const clause of node.clauses) addNames(clause.target, targets);
  const isGenerator = node.type === 'generator';
  const code = frames.inComprehension(targets, () => {
    const element = (): string => {
      const value = compileExpression(frames, node.element);
      if (isGenerator) return `yield ${value};`;
      if (node.type === 'list') return `o.push(${value});`;
      if (node.type === 'set') return `o.add(${value});`;
      return `o.set(${value},${node.value === undefined ? 'null' : compileExpression(frames, node.value)});`;
    };
    const loops = compileClauses(frames, first, 'i', others, element);
    const names = [...targets].map((name) => local(name));
    const declared = names.length === 0 ? '' : `let ${names.join(',')};`;
    return `${declared}${frames.declareTemporaries()}${loops}`;
  });
  if (isGenerator) return `(function*(i){${code}})(${source})`;
  const empty =
    node.type === 'list'
      ? '[]'
      : `${frames.helper(node.type === 'set' ? 'makeSet' : 'makeDict')}([])`;
  return `((i)=>{const o=${empty};${code}return o;})(${source})`;
}

function compileClauses(
  frames: Frames,
  clause: Clause,
  source: string,
  others: readonly Clause[],
  element: () => string,
): string {
  const { code: head, body: unpacking } = compileLoopTarget(frames, clause.target);
  const conditions = clause.conditions.map((condition) => compileCondition(frames, condition));
  const [next, ...rest] = others;
  const inner =
    next === undefined
      ? element()
      : compileClauses(
          frames,
          next,
          `${frames.helper('iterate')}(${compileExpression(frames, next.iterable)})`,
          rest,
          element,
        );
  const guarded = conditions.length === 0 ? inner : `if(${conditions.join('&&')}){${inner}}`;
  return `for(${head} of ${source}){${unpacking}${guarded}}`;
}

/** The variable of a `for … of`, and what unpacks it into the target. */
export function compileLoopTarget(
  frames: Frames,
  target: Expression,
): { code: string; body: string } {
  if (target.kind === 'name') return { code: frames.target(target.name), body: '' };
  const temporary = frames.temporary();
  return { code: temporary, body: compileStore(frames, target, temporary) };
}

/** Statements that assign the value of `code`, which is evaluated once, to a target. */
export function compileStore(frames: Frames, target: Expression, code: string): string {
  switch (target.kind) {
    case 'name':
      return `${frames.target(target.name)}=${code};`;
    case 'starred':
      return compileStore(frames, target.value, code);
    case 'subscript': {
      const object = compileExpression(frames, target.object);
      if (target.index.kind === 'slice') {
        const parts = compileSlice(frames, target.index).join(',');
        return `${frames.helper('setSlice')}(${code},${object},${parts});`;
      }
      const index = compileExpression(frames, target.index);
      return `${frames.helper('setItem')}(${code},${object},${index});`;
    }
    case 'sequence': {
      const temporary = frames.temporary();
      const star = target.items.findIndex((item) => item.kind === 'starred');
      const counts = star < 0 ? [target.items.length] : [star, target.items.length - star - 1];
      const unpack = frames.helper(star < 0 ? 'unpack' : 'unpackStar');
      const stores = target.items.map((item, index) =>
        compileStore(frames, item, `${temporary}[${index}]`),
      );
      return `${temporary}=${unpack}(${[code, ...counts].join(',')});${stores.join('')}`;
    }
    default:
      return '';
  }
}

function addNames(target: Expression, names: Set<string>): void {
  if (target.kind === 'name') names.add(target.name);
  else if (target.kind === 'starred') addNames(target.value, names);
  else if (target.kind === 'sequence') for (const item of target.items) addNames(item, names);
}
