/** Python's exceptions: types with parents, instances with arguments. Runs inside the machine. */

export class PyException {
  constructor(type, values) {
    this.type = type;
    this.values = values;
    this.line = 0;
  }
}

/** Types by name, for the table of builtins. */
export const exceptionTypes = Object.create(null);

function exceptionType(name, parent) {
  const type = (values) => new PyException(type, values);
  type.pythonName = name;
  type.parent = parent;
  type.isException = true;
  type.isType = true;
  exceptionTypes[name] = type;
  return type;
}

const BaseException = exceptionType('BaseException', null);
const Exception = exceptionType('Exception', BaseException);
const ArithmeticError = exceptionType('ArithmeticError', Exception);
const LookupError = exceptionType('LookupError', Exception);
const RuntimeError = exceptionType('RuntimeError', Exception);
const NameError = exceptionType('NameError', Exception);
const ImportError = exceptionType('ImportError', Exception);
const OSError = exceptionType('OSError', Exception);
exceptionType('AssertionError', Exception);
exceptionType('AttributeError', Exception);
exceptionType('StopIteration', Exception);
exceptionType('MemoryError', Exception);
exceptionType('TypeError', Exception);
exceptionType('FileNotFoundError', OSError);
exceptionType('PermissionError', OSError);
exceptionType('IndexError', LookupError);
exceptionType('KeyError', LookupError);
exceptionType('ModuleNotFoundError', ImportError);
exceptionType('NotImplementedError', RuntimeError);
exceptionType('OverflowError', ArithmeticError);
exceptionType('RecursionError', RuntimeError);
exceptionType('UnboundLocalError', NameError);
exceptionType('ZeroDivisionError', ArithmeticError);
const ValueError = exceptionType('ValueError', Exception);
exceptionType('UnicodeError', ValueError);
export const JSONDecodeError = exceptionType('JSONDecodeError', ValueError);
export const PatternError = exceptionType('error', Exception);
delete exceptionTypes.error;
delete exceptionTypes.JSONDecodeError;

/** Throws the exception of that name. */
export function fail(name, message) {
  throw new PyException(exceptionTypes[name], [message]);
}

/** Ends the program by the memory limit: the host is told, and stops the machine at its next poll. */
function exhaust() {
  hostExhausted();
  for (;;) {
    // Until the poll.
  }
}

/** What a `catch` met, as a Python exception: the machine's own errors have counterparts. */
export function caught(error) {
  if (error instanceof PyException) return error;
  const message = String(error?.message ?? error);
  if (/call stack|stack overflow/i.test(message)) {
    return new PyException(exceptionTypes.RecursionError, ['maximum recursion depth exceeded']);
  }
  if (/too large|too long|invalid (?:string|array) length/i.test(message)) exhaust();
  return new PyException(RuntimeError, [message]);
}

/** The error with the line that it was raised at, where none is known yet. */
export function located(error, line) {
  // The limits end a program, whatever it catches: they are no exceptions of the language.
  const exception = error instanceof PyException ? error : caught(error);
  if (exception.line === 0) exception.line = line;
  return exception;
}

/** Whether an exception is of a type, or of one of a tuple of types. */
export function isInstanceOf(exception, types) {
  for (const wanted of types) {
    if (typeof wanted !== 'function' || !wanted.isException) {
      fail('TypeError', 'catching classes that do not inherit from BaseException is not allowed');
    }
    for (let type = exception.type; type !== null; type = type.parent) {
      if (type === wanted) return true;
    }
  }
  return false;
}

/** The operand of `raise`: an instance, or a type that is called without arguments. */
export function exception(value) {
  if (value instanceof PyException) return value;
  if (typeof value === 'function' && value.isException) return new PyException(value, []);
  return fail('TypeError', 'exceptions must derive from BaseException');
}

export function nothingToRaise() {
  return new PyException(RuntimeError, ['No active exception to reraise']);
}

export function unbound(name) {
  return fail(
    'UnboundLocalError',
    `cannot access local variable '${name}' where it is not associated with a value`,
  );
}

export function missing(name) {
  return fail('NameError', `name '${name}' is not defined`);
}

export function misplacedStar() {
  return fail('TypeError', 'a starred expression is not allowed here');
}
