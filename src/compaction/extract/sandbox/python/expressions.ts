/** Parses expressions, by precedence climbing. */

import type { Cursor } from './cursor.ts';
import { readNumber } from './literals.ts';
import { parseAtomString } from './string-atoms.ts';
import type {
  Argument,
  Clause,
  Comparison,
  DictEntry,
  Expression,
  Parameter,
  Parameters,
} from './syntax.ts';

const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

export function isKeyword(text: string): boolean {
  return KEYWORDS.has(text);
}

const BINARY: Readonly<Record<string, number>> = {
  '|': 1,
  '^': 2,
  '&': 3,
  '<<': 4,
  '>>': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '//': 6,
  '%': 6,
};
const COMPARISONS = new Set(['==', '!=', '<', '<=', '>', '>=']);

/** Longer chains of one operator are refused; the machine's own parser would run out of stack. */
const MAX_CHAIN = 150;

/** An expression list, `a, *b`: a tuple where there is a comma. */
export function parseExpressions(cursor: Cursor): Expression {
  const first = parseStarred(cursor);
  if (!cursor.is(',')) return first;
  const items = [first];
  while (cursor.accept(',')) {
    if (endsList(cursor)) break;
    items.push(parseStarred(cursor));
  }
  return { kind: 'sequence', type: 'tuple', items };
}

function endsList(cursor: Cursor): boolean {
  const { kind, text } = cursor.current;
  if (kind === 'newline' || kind === 'end') return true;
  return kind === 'operator' && /^(?:[)\]}=:;]|[-+*/%&|^@]=|\/\/=|\*\*=|<<=|>>=)$/.test(text);
}

function parseStarred(cursor: Cursor): Expression {
  if (!cursor.accept('*')) return parseNamed(cursor);
  return { kind: 'starred', value: parseBinary(cursor, 1) };
}

/** An expression that may be `name := value`. */
export function parseNamed(cursor: Cursor): Expression {
  if (cursor.isKind('name') && cursor.peek(1)?.text === ':=') {
    const { text: name } = cursor.next();
    cursor.next();
    const value = parseExpression(cursor);
    cursor.scope.bound.add(name);
    return { kind: 'walrus', name, value };
  }
  return parseExpression(cursor);
}

/** One expression without a top-level comma. */
export function parseExpression(cursor: Cursor): Expression {
  return cursor.nested(() => {
    if (cursor.is('lambda')) return parseLambda(cursor);
    if (cursor.is('yield')) return parseYield(cursor);
    const consequent = parseOr(cursor);
    if (!cursor.accept('if')) return consequent;
    const condition = parseOr(cursor);
    cursor.expect('else');
    const alternative = parseExpression(cursor);
    return { kind: 'conditional', condition, consequent, alternative };
  });
}

function parseYield(cursor: Cursor): Expression {
  cursor.next();
  if (cursor.functions === 0) cursor.fail("'yield' outside function");
  cursor.scope.generator = true;
  if (cursor.accept('from')) {
    return { kind: 'yield', value: parseExpression(cursor), from: true };
  }
  const value = endsList(cursor) ? undefined : parseExpressions(cursor);
  return { kind: 'yield', value, from: false };
}

function parseLambda(cursor: Cursor): Expression {
  cursor.next();
  const parameters = parseParameters(cursor, ':', false);
  cursor.expect(':');
  const { result: body, scope } = cursor.inFunction(() => {
    bindParameters(cursor, parameters);
    return parseExpression(cursor);
  });
  return { kind: 'lambda', parameters, body, scope };
}

/** Parameters up to (not including) `end`; annotations are read and dropped. */
export function parseParameters(cursor: Cursor, end: string, annotated: boolean): Parameters {
  const positional: Parameter[] = [];
  const keywordOnly: Parameter[] = [];
  let rest: string | undefined;
  let keywords: string | undefined;
  let afterStar = false;
  const name = (): string => {
    const token = cursor.expectKind('name');
    if (isKeyword(token.text)) cursor.fail(`'${token.text}' cannot be a parameter`);
    if (annotated && cursor.accept(':')) parseExpression(cursor);
    return token.text;
  };
  while (!cursor.is(end)) {
    if (cursor.accept('/')) {
      // Positional-only parameters bind as all others do.
    } else if (cursor.accept('**')) {
      keywords = name();
    } else if (cursor.accept('*')) {
      afterStar = true;
      if (!cursor.is(',')) rest = name();
    } else {
      const parameter = name();
      const fallback = cursor.accept('=') ? parseExpression(cursor) : undefined;
      const list = afterStar ? keywordOnly : positional;
      if (fallback === undefined && !afterStar && positional.at(-1)?.fallback !== undefined) {
        cursor.fail('parameter without a default follows parameter with a default');
      }
      list.push({ name: parameter, fallback });
    }
    if (!cursor.accept(',')) break;
  }
  return { positional, keywordOnly, rest, keywords };
}

export function bindParameters(cursor: Cursor, parameters: Parameters): void {
  const { positional, keywordOnly, rest, keywords } = parameters;
  const names = [...positional, ...keywordOnly].map((parameter) => parameter.name);
  for (const extra of [rest, keywords]) if (extra !== undefined) names.push(extra);
  for (const name of names) {
    if (cursor.scope.bound.has(name)) cursor.fail(`duplicate argument '${name}'`);
    cursor.scope.bound.add(name);
  }
}

function parseOr(cursor: Cursor): Expression {
  let left = parseAnd(cursor);
  for (let chain = 0; cursor.accept('or'); chain++) {
    if (chain > MAX_CHAIN) cursor.fail('the expression is too long');
    left = { kind: 'logic', operator: 'or', left, right: parseAnd(cursor) };
  }
  return left;
}

function parseAnd(cursor: Cursor): Expression {
  let left = parseNot(cursor);
  for (let chain = 0; cursor.accept('and'); chain++) {
    if (chain > MAX_CHAIN) cursor.fail('the expression is too long');
    left = { kind: 'logic', operator: 'and', left, right: parseNot(cursor) };
  }
  return left;
}

function parseNot(cursor: Cursor): Expression {
  if (!cursor.accept('not')) return parseComparison(cursor);
  return { kind: 'unary', operator: 'not', operand: cursor.nested(() => parseNot(cursor)) };
}

function parseComparison(cursor: Cursor): Expression {
  const first = parseBinary(cursor, 1);
  const rest: Comparison[] = [];
  for (let operator = comparison(cursor); operator !== undefined; operator = comparison(cursor)) {
    rest.push({ operator, right: parseBinary(cursor, 1) });
  }
  return rest.length === 0 ? first : { kind: 'compare', first, rest };
}

function comparison(cursor: Cursor): string | undefined {
  const { text, kind } = cursor.current;
  if (kind === 'operator') return COMPARISONS.has(text) ? cursor.next().text : undefined;
  if (cursor.accept('in')) return 'in';
  if (cursor.is('not') && cursor.peek(1)?.text === 'in') {
    cursor.next();
    cursor.next();
    return 'not in';
  }
  if (!cursor.accept('is')) return undefined;
  return cursor.accept('not') ? 'is not' : 'is';
}

function parseBinary(cursor: Cursor, level: number): Expression {
  let left = parseUnary(cursor);
  for (let chain = 0; ; chain++) {
    const { text: operator, kind } = cursor.current;
    const strength = kind === 'operator' ? BINARY[operator] : undefined;
    if (strength === undefined || strength < level) return left;
    if (chain > MAX_CHAIN) cursor.fail('the expression is too long');
    cursor.next();
    left = { kind: 'binary', operator, left, right: parseBinary(cursor, strength + 1) };
  }
}

function parseUnary(cursor: Cursor): Expression {
  const { text: operator, kind } = cursor.current;
  if (kind === 'operator' && (operator === '-' || operator === '+' || operator === '~')) {
    cursor.next();
    return { kind: 'unary', operator, operand: cursor.nested(() => parseUnary(cursor)) };
  }
  const base = parsePostfix(cursor);
  if (!cursor.accept('**')) return base;
  const right = cursor.nested(() => parseUnary(cursor));
  return { kind: 'binary', operator: '**', left: base, right };
}

function parsePostfix(cursor: Cursor): Expression {
  let value = parseAtom(cursor);
  for (let chain = 0; ; chain++) {
    if (chain > MAX_CHAIN) cursor.fail('the expression is too long');
    const { line } = cursor.current;
    if (cursor.accept('(')) {
      value = { kind: 'call', callee: value, arguments: parseArguments(cursor), line };
    } else if (cursor.accept('[')) {
      value = { kind: 'subscript', object: value, index: parseIndex(cursor) };
      cursor.expect(']');
    } else if (cursor.accept('.')) {
      value = { kind: 'attribute', object: value, name: cursor.expectKind('name').text, line };
    } else {
      return value;
    }
  }
}

function parseIndex(cursor: Cursor): Expression {
  const first = parseSlice(cursor);
  if (!cursor.is(',')) return first;
  const items = [first];
  while (cursor.accept(',')) {
    if (cursor.is(']')) break;
    items.push(parseSlice(cursor));
  }
  return { kind: 'sequence', type: 'tuple', items };
}

function parseSlice(cursor: Cursor): Expression {
  const part = (): Expression | undefined =>
    cursor.is(':') || cursor.is(']') || cursor.is(',') ? undefined : parseNamed(cursor);
  const start = part();
  if (!cursor.accept(':')) {
    if (start === undefined) cursor.fail('expected an index');
    return start;
  }
  const stop = part();
  const step = cursor.accept(':') ? part() : undefined;
  return { kind: 'slice', start, stop, step };
}

function parseArguments(cursor: Cursor): Argument[] {
  const list: Argument[] = [];
  while (!cursor.accept(')')) {
    list.push(parseArgument(cursor));
    if (!cursor.accept(',') && !cursor.is(')')) {
      cursor.fail(`expected ',' or ')' in a call, found ${cursor.found()}`);
    }
  }
  return list;
}

function parseArgument(cursor: Cursor): Argument {
  if (cursor.accept('**')) {
    return { kind: 'double-star', name: '', value: parseExpression(cursor) };
  }
  if (cursor.accept('*')) return { kind: 'star', name: '', value: parseExpression(cursor) };
  if (cursor.isKind('name') && cursor.peek(1)?.text === '=') {
    const { text: name } = cursor.next();
    cursor.next();
    return { kind: 'keyword', name, value: parseExpression(cursor) };
  }
  const value = parseNamed(cursor);
  if (!startsClause(cursor)) return { kind: 'positional', name: '', value };
  const generator = parseComprehension(cursor, 'generator', value, undefined);
  return { kind: 'positional', name: '', value: generator };
}

function startsClause(cursor: Cursor): boolean {
  return cursor.is('for') || cursor.is('async');
}

function parseComprehension(
  cursor: Cursor,
  type: 'list' | 'set' | 'dict' | 'generator',
  element: Expression,
  value: Expression | undefined,
): Expression {
  const clauses: Clause[] = [];
  while (cursor.accept('for')) {
    const target = parseTarget(cursor);
    cursor.expect('in');
    const iterable = parseOr(cursor);
    const conditions: Expression[] = [];
    while (cursor.accept('if')) conditions.push(parseCondition(cursor));
    clauses.push({ target, iterable, conditions });
  }
  if (clauses.length === 0) cursor.fail("'async' is not available");
  return { kind: 'comprehension', type, element, value, clauses };
}

/** The condition of a comprehension: `if` after it starts another one, not a conditional. */
function parseCondition(cursor: Cursor): Expression {
  if (cursor.isKind('name') && cursor.peek(1)?.text === ':=') return parseNamed(cursor);
  return cursor.is('lambda') ? parseLambda(cursor) : parseOr(cursor);
}

/** A `for` target: names, subscripts and tuples of them, without `in`. */
export function parseTarget(cursor: Cursor): Expression {
  const one = (): Expression =>
    cursor.accept('*') ? { kind: 'starred', value: parsePostfix(cursor) } : parsePostfix(cursor);
  const first = one();
  if (!cursor.is(',')) return first;
  const items = [first];
  while (cursor.accept(',')) {
    if (cursor.is('in')) break;
    items.push(one());
  }
  return { kind: 'sequence', type: 'tuple', items };
}

function parseAtom(cursor: Cursor): Expression {
  const token = cursor.current;
  if (token.kind === 'number') return readNumber(cursor.next().text, token.line);
  if (token.kind === 'string') return parseAtomString(cursor, parseExpressions);
  if (token.kind === 'name') {
    if (token.text === 'True' || token.text === 'False' || token.text === 'None') {
      cursor.next();
      return { kind: 'constant', value: token.text };
    }
    if (isKeyword(token.text)) cursor.fail(`invalid syntax: unexpected '${token.text}'`);
    cursor.next();
    return { kind: 'name', name: token.text, line: token.line };
  }
  return cursor.nested(() => {
    if (cursor.accept('(')) return parseParenthesis(cursor);
    if (cursor.accept('[')) return parseDisplay(cursor);
    if (cursor.accept('{')) return parseBraces(cursor);
    if (cursor.accept('...')) return { kind: 'constant', value: 'None' };
    return cursor.fail(`invalid syntax: unexpected ${cursor.found()}`);
  });
}

function parseParenthesis(cursor: Cursor): Expression {
  if (cursor.accept(')')) return { kind: 'sequence', type: 'tuple', items: [] };
  const value = parseExpressions(cursor);
  const result = startsClause(cursor)
    ? parseComprehension(cursor, 'generator', value, undefined)
    : value;
  if (result.kind === 'starred') cursor.fail('cannot use starred expression here');
  cursor.expect(')');
  return result;
}

function parseDisplay(cursor: Cursor): Expression {
  const items: Expression[] = [];
  while (!cursor.accept(']')) {
    const item = parseStarred(cursor);
    if (items.length === 0 && startsClause(cursor)) {
      const result = parseComprehension(cursor, 'list', item, undefined);
      cursor.expect(']');
      return result;
    }
    items.push(item);
    if (!cursor.accept(',') && !cursor.is(']')) {
      cursor.fail(`expected ',' or ']', found ${cursor.found()}`);
    }
  }
  return { kind: 'sequence', type: 'list', items };
}

function parseBraces(cursor: Cursor): Expression {
  const entries: DictEntry[] = [];
  const items: Expression[] = [];
  while (!cursor.accept('}')) {
    if (cursor.accept('**')) {
      entries.push({ key: undefined, value: parseBinary(cursor, 1) });
    } else {
      const key = parseStarred(cursor);
      if (cursor.accept(':')) {
        const value = parseExpression(cursor);
        if (startsClause(cursor)) {
          const result = parseComprehension(cursor, 'dict', key, value);
          cursor.expect('}');
          return result;
        }
        entries.push({ key, value });
      } else if (startsClause(cursor)) {
        const result = parseComprehension(cursor, 'set', key, undefined);
        cursor.expect('}');
        return result;
      } else {
        items.push(key);
      }
    }
    if (!cursor.accept(',') && !cursor.is('}')) {
      cursor.fail(`expected ',' or '}', found ${cursor.found()}`);
    }
  }
  if (items.length > 0 && entries.length > 0) cursor.fail("expected ':' after a dictionary key");
  if (items.length > 0) return { kind: 'sequence', type: 'set', items };
  return { kind: 'dict', entries };
}
