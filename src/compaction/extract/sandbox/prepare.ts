/** From a program to what the machine runs, or the reason why it cannot run at all. */

import type { Language, Refused, SandboxLimits } from './program.ts';
import { compilePython } from './python/compile.ts';
import { PythonSyntaxError } from './python/syntax.ts';

export type Prepared = { readonly kind: 'ready'; readonly code: string } | Refused;

/**
 * Checks the program's length, and compiles Python syntax to JavaScript. `persistent`: for a session, where
 * the variables outlive the program.
 */
export function prepareCode(
  language: Language,
  code: string,
  limits: SandboxLimits,
  { persistent = false }: { persistent?: boolean } = {},
): Prepared {
  if (code.length > limits.codeLength) {
    const message = `the program has ${code.length} characters; at most ${limits.codeLength} are taken`;
    return { kind: 'refused', refusal: 'syntax', message };
  }
  if (language === 'javascript') {
    return { kind: 'ready', code: persistent ? redeclarable(code) : code };
  }
  try {
    return { kind: 'ready', code: compilePython(code, persistent) };
  } catch (error) {
    if (!(error instanceof PythonSyntaxError)) throw error;
    const message = `SyntaxError: ${error.message} (line ${error.line})`;
    return { kind: 'refused', refusal: 'syntax', message };
  }
}

/** Refuses an input that is too large for the machine. */
export function checkInput(input: string, limits: SandboxLimits): Refused | undefined {
  const bytes = Buffer.byteLength(input);
  if (bytes <= limits.inputBytes) return undefined;
  const message = `INPUT has ${bytes} bytes; at most ${limits.inputBytes} are taken`;
  return { kind: 'refused', refusal: 'memory_limit', message };
}

/**
 * In a session each round declares its variables anew, which `let` and `const` at the top level refuse and
 * `var` allows.
 */
function redeclarable(code: string): string {
  return code.replace(/^(?:let|const)(?=\s+[\p{ID_Start}$_[{])/gmu, 'var');
}
