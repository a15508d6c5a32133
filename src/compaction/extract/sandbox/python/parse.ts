/** Parses a Python (or Starlark) program into its syntax tree. */

import { pushAll } from '../../../../text/long-lists.ts';
import { Cursor } from './cursor.ts';
import {
  bindParameters,
  isKeyword,
  parseExpression,
  parseExpressions,
  parseNamed,
  parseParameters,
  parseTarget,
} from './expressions.ts';
import type {
  Expression,
  Handler,
  ImportedName,
  PythonModule,
  Statement,
  StatementShape,
} from './syntax.ts';
import { tokenize } from './tokens.ts';

const AUGMENTED = new Set([
  '+=',
  '-=',
  '*=',
  '/=',
  '//=',
  '%=',
  '**=',
  '&=',
  '|=',
  '^=',
  '<<=',
  '>>=',
]);

const UNAVAILABLE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    class: 'class definitions are not available; use functions, dicts and tuples',
    with: "'with' is not available: there are no files or locks in the sandbox",
    async: "'async' is not available",
    await: "'await' is not available",
  }),
);

/** @throws PythonSyntaxError with the line of the first mistake. */
export function parseProgram(source: string): PythonModule {
  const cursor = new Cursor(tokenize(source));
  const body: Statement[] = [];
  while (!cursor.isKind('end')) {
    if (cursor.isKind('indent')) cursor.fail('unexpected indent');
    pushAll(body, parseStatement(cursor));
  }
  return { body, scope: cursor.module };
}

function parseStatement(cursor: Cursor): Statement[] {
  const { line, text, kind } = cursor.current;
  const unavailable = kind === 'name' ? UNAVAILABLE.get(text) : undefined;
  if (unavailable !== undefined) cursor.fail(unavailable);
  const compound = cursor.nested(() => parseCompound(cursor));
  if (compound !== undefined) return [{ ...compound, line }];
  const statements: Statement[] = [];
  do {
    if (cursor.isKind('newline')) break;
    const { line: own } = cursor.current;
    statements.push({ ...parseSimple(cursor), line: own });
  } while (cursor.accept(';'));
  if (!cursor.isKind('newline')) cursor.fail(`invalid syntax: unexpected ${cursor.found()}`);
  cursor.next();
  return statements;
}

function parseBlock(cursor: Cursor): Statement[] {
  cursor.expect(':');
  if (!cursor.acceptKind('newline')) return parseStatement(cursor);
  if (!cursor.acceptKind('indent')) cursor.fail('expected an indented block');
  const body: Statement[] = [];
  while (!cursor.acceptKind('dedent')) {
    if (cursor.isKind('indent')) cursor.fail('unexpected indent');
    pushAll(body, parseStatement(cursor));
  }
  return body;
}

function parseLoopBody(cursor: Cursor): Statement[] {
  cursor.loops++;
  const body = parseBlock(cursor);
  cursor.loops--;
  return body;
}

function parseElse(cursor: Cursor): Statement[] {
  return cursor.accept('else') ? parseBlock(cursor) : [];
}

function parseCompound(cursor: Cursor): StatementShape | undefined {
  if (cursor.accept('if')) return parseIf(cursor);
  if (cursor.accept('while')) {
    const condition = parseNamed(cursor);
    const body = parseLoopBody(cursor);
    return { kind: 'while', condition, body, alternative: parseElse(cursor) };
  }
  if (cursor.accept('for')) {
    const target = parseTarget(cursor);
    bindTarget(cursor, target);
    cursor.expect('in');
    const iterable = parseExpressions(cursor);
    const body = parseLoopBody(cursor);
    return { kind: 'for', target, iterable, body, alternative: parseElse(cursor) };
  }
  if (cursor.accept('try')) return parseTry(cursor);
  if (cursor.is('def') || cursor.is('@')) return parseFunction(cursor);
  return undefined;
}

function parseIf(cursor: Cursor): StatementShape {
  const condition = parseNamed(cursor);
  const body = parseBlock(cursor);
  const { line } = cursor.current;
  if (!cursor.accept('elif'))
    return { kind: 'if', condition, body, alternative: parseElse(cursor) };
  const nested = cursor.nested(() => parseIf(cursor));
  return { kind: 'if', condition, body, alternative: [{ ...nested, line }] };
}

function parseTry(cursor: Cursor): StatementShape {
  const body = parseBlock(cursor);
  const handlers: Handler[] = [];
  while (cursor.accept('except')) {
    const type = cursor.is(':') ? undefined : parseExpressions(cursor);
    const name = cursor.accept('as') ? cursor.expectKind('name').text : undefined;
    if (name !== undefined) cursor.scope.bound.add(name);
    handlers.push({ type, name, body: parseBlock(cursor) });
  }
  const alternative = parseElse(cursor);
  const final = cursor.accept('finally') ? parseBlock(cursor) : [];
  if (handlers.length === 0 && final.length === 0) {
    cursor.fail("expected 'except' or 'finally' block");
  }
  return { kind: 'try', body, handlers, alternative, final };
}

function parseFunction(cursor: Cursor): StatementShape {
  const decorators: Expression[] = [];
  while (cursor.accept('@')) {
    decorators.push(parseNamed(cursor));
    cursor.expectKind('newline');
  }
  if (!cursor.accept('def')) cursor.fail(UNAVAILABLE.get(cursor.current.text) ?? "expected 'def'");
  const name = cursor.expectKind('name').text;
  if (isKeyword(name)) cursor.fail(`'${name}' cannot name a function`);
  cursor.scope.bound.add(name);
  cursor.expect('(');
  const parameters = parseParameters(cursor, ')', true);
  cursor.expect(')');
  if (cursor.accept('->')) parseExpression(cursor);
  const { result: body, scope } = cursor.inFunction(() => {
    bindParameters(cursor, parameters);
    return parseBlock(cursor);
  });
  for (const outer of [...scope.globals, ...scope.nonlocals]) scope.bound.delete(outer);
  return { kind: 'function', name, parameters, body, scope, decorators };
}

function parseSimple(cursor: Cursor): StatementShape {
  if (cursor.accept('pass')) return { kind: 'pass' };
  for (const kind of ['break', 'continue'] as const) {
    if (!cursor.accept(kind)) continue;
    if (cursor.loops === 0) cursor.fail(`'${kind}' outside loop`);
    return { kind };
  }
  if (cursor.accept('return')) {
    if (cursor.functions === 0) cursor.fail("'return' outside function");
    const empty = cursor.isKind('newline') || cursor.is(';');
    return { kind: 'return', value: empty ? undefined : parseExpressions(cursor) };
  }
  if (cursor.is('global') || cursor.is('nonlocal')) return parseScopeNames(cursor);
  if (cursor.accept('del')) {
    const value = parseExpressions(cursor);
    const targets = value.kind === 'sequence' ? value.items : [value];
    for (const target of targets) bindTarget(cursor, target);
    return { kind: 'delete', targets };
  }
  if (cursor.accept('assert')) {
    const condition = parseExpression(cursor);
    return {
      kind: 'assert',
      condition,
      message: cursor.accept(',') ? parseExpression(cursor) : undefined,
    };
  }
  if (cursor.accept('raise')) {
    const empty = cursor.isKind('newline') || cursor.is(';');
    const value = empty ? undefined : parseExpression(cursor);
    if (cursor.accept('from')) parseExpression(cursor);
    return { kind: 'raise', value };
  }
  if (cursor.is('import') || cursor.is('from')) return parseImport(cursor);
  return parseAssignment(cursor);
}

function parseScopeNames(cursor: Cursor): StatementShape {
  const { text } = cursor.next();
  const names = text === 'global' ? cursor.scope.globals : cursor.scope.nonlocals;
  do {
    const name = cursor.expectKind('name').text;
    names.add(name);
    if (text === 'global') cursor.module.bound.add(name);
  } while (cursor.accept(','));
  return { kind: 'pass' };
}

function parseImport(cursor: Cursor): StatementShape {
  const names: ImportedName[] = [];
  const isFrom = cursor.next().text === 'from';
  const dotted = (): string => {
    let name = cursor.expectKind('name').text;
    while (cursor.accept('.')) name += `.${cursor.expectKind('name').text}`;
    return name;
  };
  const bind = (module: string, member: string, fallback: string): void => {
    const bound = cursor.accept('as') ? cursor.expectKind('name').text : fallback;
    cursor.scope.bound.add(bound);
    names.push({ module, member, bound });
  };
  if (!isFrom) {
    do {
      const module = dotted();
      bind(module, '', module.split('.')[0] ?? module);
    } while (cursor.accept(','));
    return { kind: 'import', names };
  }
  const module = dotted();
  cursor.expect('import');
  if (cursor.is('*')) cursor.fail("'import *' is not available; name what you need");
  const bracket = cursor.accept('(');
  do {
    if (bracket && cursor.is(')')) break;
    const member = cursor.expectKind('name').text;
    bind(module, member, member);
  } while (cursor.accept(','));
  if (bracket) cursor.expect(')');
  return { kind: 'import', names };
}

function parseAssignment(cursor: Cursor): StatementShape {
  const first = parseExpressions(cursor);
  if (cursor.accept(':')) {
    parseExpression(cursor);
    bindTarget(cursor, first);
    if (!cursor.accept('=')) return { kind: 'pass' };
    return { kind: 'assign', targets: [first], value: parseExpressions(cursor) };
  }
  const { text } = cursor.current;
  if (cursor.isKind('operator') && AUGMENTED.has(text)) {
    if (first.kind === 'sequence') cursor.fail('illegal target for augmented assignment');
    bindTarget(cursor, first);
    cursor.next();
    const value = parseExpressions(cursor);
    return { kind: 'augmented', target: first, operator: text.slice(0, -1), value };
  }
  if (!cursor.is('=')) return { kind: 'expression', value: first };
  const values = [first];
  while (cursor.accept('=')) values.push(parseExpressions(cursor));
  const value = values.pop() ?? first;
  for (const target of values) bindTarget(cursor, target);
  return { kind: 'assign', targets: values, value };
}

/** Checks that `target` can be assigned to, and records the names that it binds. */
function bindTarget(cursor: Cursor, target: Expression): void {
  if (target.kind === 'name') cursor.scope.bound.add(target.name);
  else if (target.kind === 'starred') bindTarget(cursor, target.value);
  else if (target.kind === 'sequence' && target.type !== 'set') {
    for (const item of target.items) bindTarget(cursor, item);
  } else if (target.kind === 'attribute') {
    cursor.fail('attributes cannot be assigned in the sandbox; use a dict');
  } else if (target.kind !== 'subscript') {
    cursor.fail('cannot assign to this expression');
  }
}
