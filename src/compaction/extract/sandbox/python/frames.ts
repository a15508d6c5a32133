/** Where a name lives in the JavaScript that a program is compiled to. */

import { PythonSyntaxError, type Scope } from './syntax.ts';

interface Frame {
  readonly kind: 'module' | 'function' | 'comprehension';
  readonly bound: ReadonlySet<string>;
  /** Names that always have a value: parameters and the targets of a comprehension. */
  readonly sure: ReadonlySet<string>;
  readonly scope: Scope | undefined;
  temporaries: number;
}

/**
 * Python's scopes are lexical, as JavaScript's are, so a name becomes a JavaScript variable of the same name
 * under a prefix. In a session the globals are properties of `g`, which outlives the program; that is slower.
 */
export class Frames {
  private readonly stack: Frame[] = [];
  private readonly helperNames = new Set<string>();
  private readonly constantCodes: string[] = [];
  private labels = 0;

  private readonly persistent: boolean;

  constructor(module: Scope, persistent: boolean) {
    const { bound } = module;
    this.persistent = persistent;
    this.stack.push({ kind: 'module', bound, sure: new Set(), scope: module, temporaries: 0 });
  }

  /** The name of a runtime helper; the program's head takes it out of the runtime. */
  helper(name: string): string {
    this.helperNames.add(name);
    return name;
  }

  get helpers(): readonly string[] {
    return [...this.helperNames].sort();
  }

  /** A value built once a program. */
  constant(code: string): string {
    const known = this.constantCodes.indexOf(code);
    if (known >= 0) return `c${known}`;
    return `c${this.constantCodes.push(code) - 1}`;
  }

  get constants(): readonly string[] {
    return this.constantCodes;
  }

  label(): string {
    return `L${++this.labels}`;
  }

  temporary(): string {
    const frame = this.top;
    return `t${++frame.temporaries}`;
  }

  /** `let t1,t2;` for the innermost frame, or nothing. */
  declareTemporaries(): string {
    const { temporaries } = this.top;
    if (temporaries === 0) return '';
    return `let ${Array.from({ length: temporaries }, (_, index) => `t${index + 1}`).join(',')};`;
  }

  inFunction<T>(scope: Scope, parameters: readonly string[], compile: () => T): T {
    const sure = new Set(parameters);
    return this.within(
      { kind: 'function', bound: scope.bound, sure, scope, temporaries: 0 },
      compile,
    );
  }

  inComprehension<T>(targets: ReadonlySet<string>, compile: () => T): T {
    const frame: Frame = {
      kind: 'comprehension',
      bound: targets,
      sure: targets,
      scope: undefined,
      temporaries: 0,
    };
    return this.within(frame, compile);
  }

  private within<T>(frame: Frame, compile: () => T): T {
    this.stack.push(frame);
    const result = compile();
    this.stack.pop();
    return result;
  }

  private get top(): Frame {
    const frame = this.stack[this.stack.length - 1];
    if (frame === undefined) throw new PythonSyntaxError('no scope', 1);
    return frame;
  }

  /** Code that may be assigned to: the variable or the global of that name. */
  target(name: string): string {
    return this.owner(name) === undefined ? `g[${JSON.stringify(name)}]` : local(name);
  }

  /** The same for `:=`, which binds outside the comprehensions around it. */
  walrusTarget(name: string): string {
    for (let index = this.stack.length - 1; index >= 0; index--) {
      const frame = this.stack[index];
      if (frame === undefined || frame.kind === 'comprehension') continue;
      if (frame.kind === 'function' && frame.bound.has(name)) return local(name);
      break;
    }
    return this.target(name);
  }

  /** Code that reads a name, and raises NameError where it has no value. */
  read(name: string): string {
    const quoted = JSON.stringify(name);
    const owner = this.owner(name);
    const builtin = `(b[${quoted}]??${this.helper('missing')}(${quoted}))`;
    if (owner === undefined) return `(g[${quoted}]===undefined?${builtin}:g[${quoted}])`;
    if (owner.kind === 'module') return `(${local(name)}===undefined?${builtin}:${local(name)})`;
    if (owner.sure.has(name)) return local(name);
    return `(${local(name)}===undefined?${this.helper('unbound')}(${quoted}):${local(name)})`;
  }

  /** The frame whose JavaScript variable holds `name`; undefined for a global. */
  private owner(name: string): Frame | undefined {
    const module = this.stack[0];
    const global = !this.persistent && module?.bound.has(name) === true ? module : undefined;
    let own = true;
    for (let index = this.stack.length - 1; index > 0; index--) {
      const frame = this.stack[index];
      if (frame === undefined) continue;
      if (own && frame.scope?.globals.has(name)) return global;
      if (frame.bound.has(name) && !frame.scope?.nonlocals.has(name)) return frame;
      if (frame.kind === 'function') own = false;
    }
    return global;
  }
}

export function local(name: string): string {
  return `v_${name}`;
}
