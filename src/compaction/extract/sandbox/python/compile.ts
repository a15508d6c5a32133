/** Compiles a Python (or Starlark) program to the JavaScript that runs in the machine. */

import {
  binary,
  compileCondition,
  compileExpression,
  compileFunction,
  compileLoopTarget,
  compileSlice,
  compileStore,
  parameterNames,
} from './compile-expressions.ts';
import { Frames, local } from './frames.ts';
import { parseProgram } from './parse.ts';
import type { Expression, Handler, Statement } from './syntax.ts';

/** What the host reads when the program has ended. */
const RESULTS = ['OUTPUT', 'SUMMARY'];

/**
 * The program as one JavaScript function of the runtime, its builtins and the table of globals.
 * `persistent`: the program's globals outlive it.
 * @throws PythonSyntaxError
 */
export function compilePython(source: string, persistent: boolean): string {
  const module = parseProgram(source);
  const frames = new Frames(module.scope, persistent);
  const body = compileBlock({ frames, caught: undefined, breaks: [] }, module.body);
  frames.helper('located');
  const constants = frames.constants.map((code, index) => `const c${index}=${code};`).join('');
  const names = persistent ? [] : [...module.scope.bound];
  const variables = names.length === 0 ? '' : `let ${names.map(local).join(',')};`;
  const results = RESULTS.filter((name) => names.includes(name));
  return [
    `(function(r,b,g){"use strict";const {${frames.helpers.join(',')}}=r;${constants}`,
    `let l=0;${variables}${frames.declareTemporaries()}try{`,
    body,
    ...results.map((name) => `g.${name}=${local(name)};`),
    '}catch(e){throw located(e,l);}})',
  ].join('\n');
}

interface Surroundings {
  readonly frames: Frames;
  /** The variable of the exception being handled, for a bare `raise`. */
  readonly caught: string | undefined;
  /** Per loop, the label that `break` leaves: loops with an `else` need one. */
  readonly breaks: readonly (string | undefined)[];
}

function compileBlock(around: Surroundings, body: readonly Statement[]): string {
  return body
    .map((statement) => compileStatement(around, statement))
    .filter((code) => code !== '')
    .join('\n');
}

function compileStatement(around: Surroundings, node: Statement): string {
  const code = compileShape(around, node);
  return code === '' ? '' : `l=${node.line};${code}`;
}

function compileShape(around: Surroundings, node: Statement): string {
  const { frames } = around;
  switch (node.kind) {
    case 'expression':
      if (node.value.kind === 'string' || node.value.kind === 'constant') return '';
      return `${compileExpression(frames, node.value)};`;
    case 'assign': {
      const value = compileExpression(frames, node.value);
      const [only] = node.targets;
      if (only !== undefined && node.targets.length === 1) return compileStore(frames, only, value);
      const temporary = frames.temporary();
      const stores = node.targets.map((target) => compileStore(frames, target, temporary));
      return `${temporary}=${value};${stores.join('')}`;
    }
    case 'augmented':
      return compileAugmented(frames, node.target, node.operator, node.value);
    case 'return':
      return `return ${node.value === undefined ? 'null' : compileExpression(frames, node.value)};`;
    case 'if': {
      const condition = compileCondition(frames, node.condition);
      const alternative =
        node.alternative.length === 0 ? '' : `else{${compileBlock(around, node.alternative)}}`;
      return `if(${condition}){${compileBlock(around, node.body)}}${alternative}`;
    }
    case 'while':
      return compileLoop(around, node.alternative, (inner) => {
        const condition = compileCondition(frames, node.condition);
        return `while(${condition}){${compileBlock(inner, node.body)}}`;
      });
    case 'for':
      return compileLoop(around, node.alternative, (inner) => {
        const source = compileExpression(frames, node.iterable);
        const { code, body } = compileLoopTarget(frames, node.target);
        const iterable = `${frames.helper('iterate')}(${source})`;
        return `for(${code} of ${iterable}){${body}${compileBlock(inner, node.body)}}`;
      });
    case 'break': {
      const label = around.breaks[around.breaks.length - 1];
      return label === undefined ? 'break;' : `break ${label};`;
    }
    case 'continue':
      return 'continue;';
    case 'pass':
      return '';
    case 'function':
      return compileDefinition(frames, node);
    case 'delete':
      return node.targets.map((target) => compileDelete(frames, target)).join('');
    case 'assert': {
      const message = node.message === undefined ? 'null' : compileExpression(frames, node.message);
      return `if(!${compileCondition(frames, node.condition)})${frames.helper('failAssertion')}(${message});`;
    }
    case 'raise': {
      if (node.value === undefined) {
        return `throw ${around.caught ?? `${frames.helper('nothingToRaise')}()`};`;
      }
      return `throw ${frames.helper('exception')}(${compileExpression(frames, node.value)});`;
    }
    case 'try':
      return compileTry(around, node);
    case 'import':
      return node.names
        .map(({ module, member, bound }) => {
          const names = [module, member].map((name) => JSON.stringify(name)).join(',');
          return `${frames.target(bound)}=${frames.helper('importName')}(${names});`;
        })
        .join('');
  }
}

function compileLoop(
  around: Surroundings,
  alternative: readonly Statement[],
  compile: (inner: Surroundings) => string,
): string {
  if (alternative.length === 0) {
    return compile({ ...around, breaks: [...around.breaks, undefined] });
  }
  const label = around.frames.label();
  const loop = compile({ ...around, breaks: [...around.breaks, label] });
  return `${label}:{${loop}${compileBlock(around, alternative)}}`;
}

function compileAugmented(
  frames: Frames,
  target: Expression,
  operator: string,
  value: Expression,
): string {
  const change = (left: string): string => {
    const right = compileExpression(frames, value);
    // Lists and sets change in place, so that every name of the object sees it.
    if ('+|&-'.includes(operator)) {
      return `${frames.helper('inPlace')}(${JSON.stringify(operator)},${left},${right})`;
    }
    return binary(frames, operator, left, right);
  };
  if (target.kind === 'name') {
    const read = compileExpression(frames, target);
    return `${frames.target(target.name)}=${change(read)};`;
  }
  if (target.kind !== 'subscript') return '';
  const object = frames.temporary();
  const index = frames.temporary();
  const key =
    target.index.kind === 'slice'
      ? `${frames.helper('slice')}(${compileSlice(frames, target.index).join(',')})`
      : compileExpression(frames, target.index);
  const read = `${frames.helper('getItem')}(${object},${index})`;
  return `${object}=${compileExpression(frames, target.object)};${index}=${key};${frames.helper('setItem')}(${change(read)},${object},${index});`;
}

function compileDefinition(frames: Frames, node: Extract<Statement, { kind: 'function' }>): string {
  const names = parameterNames(node.parameters);
  const body = frames.inFunction(node.scope, names, () => {
    const code = compileBlock({ frames, caught: undefined, breaks: [] }, node.body);
    const locals = [...node.scope.bound].filter((name) => !names.includes(name));
    const declared = locals.length === 0 ? '' : `let ${locals.map(local).join(',')};`;
    return `${declared}${frames.declareTemporaries()}\n${code}\nreturn null;`;
  });
  const code = compileFunction(frames, node.name, node.parameters, body, node.scope.generator);
  const decorated = node.decorators.reduceRight(
    (inner, decorator) =>
      `${frames.helper('call')}(${compileExpression(frames, decorator)},[${inner}],null)`,
    code,
  );
  return `${frames.target(node.name)}=${decorated};`;
}

function compileDelete(frames: Frames, target: Expression): string {
  if (target.kind === 'name') {
    return `${compileExpression(frames, target)};${frames.target(target.name)}=undefined;`;
  }
  if (target.kind !== 'subscript') return '';
  const object = compileExpression(frames, target.object);
  const index =
    target.index.kind === 'slice'
      ? `${frames.helper('slice')}(${compileSlice(frames, target.index).join(',')})`
      : compileExpression(frames, target.index);
  return `${frames.helper('deleteItem')}(${object},${index});`;
}

function compileTry(around: Surroundings, node: Extract<Statement, { kind: 'try' }>): string {
  const { frames } = around;
  let code = compileBlock(around, node.body);
  if (node.handlers.length > 0) {
    const caught = frames.temporary();
    const tests = node.handlers.map((handler) => compileHandler(around, handler, caught));
    const chain = [...tests, `{throw ${caught};}`].join('else ');
    const guarded = `try{${code}}catch(e){${caught}=${frames.helper('caught')}(e);${chain}`;
    if (node.alternative.length === 0) {
      code = `${guarded}}`;
    } else {
      const label = frames.label();
      code = `${label}:{${guarded}break ${label};}${compileBlock(around, node.alternative)}}`;
    }
  }
  if (node.final.length === 0) return code;
  return `try{${code}}finally{${compileBlock(around, node.final)}}`;
}

function compileHandler(around: Surroundings, handler: Handler, caught: string): string {
  const { frames } = around;
  const test =
    handler.type === undefined
      ? 'true'
      : `${frames.helper('matches')}(${caught},${compileExpression(frames, handler.type)})`;
  const body = compileBlock({ ...around, caught }, handler.body);
  const bind = handler.name === undefined ? '' : `${frames.target(handler.name)}=${caught};`;
  const unbind = handler.name === undefined ? '' : `${frames.target(handler.name)}=undefined;`;
  return `if(${test}){${bind}${body}${unbind}}`;
}
