/** A place in the token list, with the scope that bindings go to. */

import { newScope, PythonSyntaxError, type Scope } from './syntax.ts';
import type { Token, TokenKind } from './tokens.ts';

/** Deeper nesting is refused, so that neither this parser nor the machine's runs out of stack. */
const MAX_DEPTH = 90;

export class Cursor {
  private readonly tokens: readonly Token[];
  private at = 0;
  private depth = 0;
  /** Where the program's top level binds; a function's `global` names bind here too. */
  readonly module: Scope = newScope();
  scope: Scope = this.module;
  /** Functions around this place; `return` and `yield` need one. */
  functions = 0;
  loops = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  get current(): Token {
    const token = this.tokens[this.at] ?? this.tokens[this.tokens.length - 1];
    if (token === undefined) throw new PythonSyntaxError('the program is empty', 1);
    return token;
  }

  peek(offset: number): Token | undefined {
    return this.tokens[this.at + offset];
  }

  next(): Token {
    const token = this.current;
    this.at++;
    return token;
  }

  is(text: string): boolean {
    const { kind } = this.current;
    return this.current.text === text && (kind === 'operator' || kind === 'name');
  }

  isKind(kind: TokenKind): boolean {
    return this.current.kind === kind;
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.at++;
    return true;
  }

  acceptKind(kind: TokenKind): boolean {
    if (this.current.kind !== kind) return false;
    this.at++;
    return true;
  }

  expect(text: string): void {
    if (!this.accept(text)) this.fail(`expected '${text}', found ${this.found()}`);
  }

  expectKind(kind: TokenKind): Token {
    if (this.current.kind !== kind) {
      this.fail(`expected ${kind === 'name' ? 'a name' : `a ${kind}`}, found ${this.found()}`);
    }
    return this.next();
  }

  found(): string {
    const { kind, text } = this.current;
    if (kind === 'end') return 'the end of the program';
    if (kind === 'newline') return 'the end of the line';
    return kind === 'indent' || kind === 'dedent' ? `an ${kind}` : `'${text}'`;
  }

  fail(message: string): never {
    throw new PythonSyntaxError(message, this.current.line);
  }

  /** Runs `parse` one level deeper. */
  nested<T>(parse: () => T): T {
    if (++this.depth > MAX_DEPTH) this.fail('the program is nested too deeply');
    const result = parse();
    this.depth--;
    return result;
  }

  /** Runs `parse` with a new function scope, and returns that scope beside the result. */
  inFunction<T>(parse: () => T): { result: T; scope: Scope } {
    const outer = this.scope;
    const { loops } = this;
    const scope = newScope();
    this.scope = scope;
    this.functions++;
    this.loops = 0;
    const result = parse();
    this.functions--;
    this.loops = loops;
    this.scope = outer;
    return { result, scope };
  }
}
