/** The syntax tree of the Python subset that the sandbox runs; Starlark is a subset of it. */

/** A program that does not parse, or that uses a statement the sandbox does not offer. */
export class PythonSyntaxError extends Error {
  override readonly name = 'PythonSyntaxError';
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

export type Expression =
  | { kind: 'name'; name: string; line: number }
  | { kind: 'integer'; digits: string }
  | { kind: 'float'; text: string }
  | { kind: 'string'; value: string }
  | { kind: 'bytes'; value: string }
  | { kind: 'constant'; value: 'True' | 'False' | 'None' }
  | { kind: 'format'; parts: readonly FormatPart[] }
  | { kind: 'sequence'; type: 'list' | 'tuple' | 'set'; items: readonly Expression[] }
  | { kind: 'dict'; entries: readonly DictEntry[] }
  | { kind: 'unary'; operator: string; operand: Expression }
  | { kind: 'binary'; operator: string; left: Expression; right: Expression }
  | { kind: 'logic'; operator: 'and' | 'or'; left: Expression; right: Expression }
  | { kind: 'compare'; first: Expression; rest: readonly Comparison[] }
  | {
      kind: 'conditional';
      condition: Expression;
      consequent: Expression;
      alternative: Expression;
    }
  | { kind: 'call'; callee: Expression; arguments: readonly Argument[]; line: number }
  | { kind: 'attribute'; object: Expression; name: string; line: number }
  | { kind: 'subscript'; object: Expression; index: Expression }
  | {
      kind: 'slice';
      start: Expression | undefined;
      stop: Expression | undefined;
      step: Expression | undefined;
    }
  | { kind: 'lambda'; parameters: Parameters; body: Expression; scope: Scope }
  | {
      kind: 'comprehension';
      type: 'list' | 'set' | 'dict' | 'generator';
      element: Expression;
      value: Expression | undefined;
      clauses: readonly Clause[];
    }
  | { kind: 'starred'; value: Expression }
  | { kind: 'walrus'; name: string; value: Expression }
  | { kind: 'yield'; value: Expression | undefined; from: boolean };

export type FormatPart =
  | { kind: 'text'; value: string }
  | {
      kind: 'field';
      value: Expression;
      conversion: '' | 'r' | 's' | 'a';
      specification: readonly FormatPart[];
    };

export interface DictEntry {
  /** Absent for `**mapping`. */
  readonly key: Expression | undefined;
  readonly value: Expression;
}

export interface Comparison {
  readonly operator: string;
  readonly right: Expression;
}

export interface Clause {
  readonly target: Expression;
  readonly iterable: Expression;
  readonly conditions: readonly Expression[];
}

export interface Argument {
  readonly kind: 'positional' | 'keyword' | 'star' | 'double-star';
  readonly name: string;
  readonly value: Expression;
}

export interface Parameter {
  readonly name: string;
  readonly fallback: Expression | undefined;
}

export interface Parameters {
  readonly positional: readonly Parameter[];
  readonly keywordOnly: readonly Parameter[];
  readonly rest: string | undefined;
  readonly keywords: string | undefined;
}

/** What a function body binds; filled in by the parser as it meets the bindings. */
export interface Scope {
  readonly bound: Set<string>;
  readonly globals: Set<string>;
  readonly nonlocals: Set<string>;
  generator: boolean;
}

export interface Handler {
  readonly type: Expression | undefined;
  readonly name: string | undefined;
  readonly body: readonly Statement[];
}

export type Statement = { readonly line: number } & StatementShape;

export type StatementShape =
  | { kind: 'expression'; value: Expression }
  | { kind: 'assign'; targets: readonly Expression[]; value: Expression }
  | { kind: 'augmented'; target: Expression; operator: string; value: Expression }
  | { kind: 'return'; value: Expression | undefined }
  | {
      kind: 'if';
      condition: Expression;
      body: readonly Statement[];
      alternative: readonly Statement[];
    }
  | {
      kind: 'while';
      condition: Expression;
      body: readonly Statement[];
      alternative: readonly Statement[];
    }
  | {
      kind: 'for';
      target: Expression;
      iterable: Expression;
      body: readonly Statement[];
      alternative: readonly Statement[];
    }
  | { kind: 'break' }
  | { kind: 'continue' }
  | { kind: 'pass' }
  | {
      kind: 'function';
      name: string;
      parameters: Parameters;
      body: readonly Statement[];
      scope: Scope;
      decorators: readonly Expression[];
    }
  | { kind: 'delete'; targets: readonly Expression[] }
  | { kind: 'assert'; condition: Expression; message: Expression | undefined }
  | { kind: 'raise'; value: Expression | undefined }
  | {
      kind: 'try';
      body: readonly Statement[];
      handlers: readonly Handler[];
      alternative: readonly Statement[];
      final: readonly Statement[];
    }
  | { kind: 'import'; names: readonly ImportedName[] };

export interface ImportedName {
  readonly module: string;
  /** Empty where the module itself is bound. */
  readonly member: string;
  readonly bound: string;
}

/** A parsed program: its statements and the names that its top level binds. */
export interface PythonModule {
  readonly body: readonly Statement[];
  readonly scope: Scope;
}

export function newScope(): Scope {
  return { bound: new Set(), globals: new Set(), nonlocals: new Set(), generator: false };
}
