/** What compiled Python programs run on, put where the host finds it. Runs inside the machine. */

import { builtins, printed } from './builtins.js';
import * as calls from './calls.js';
import * as exceptions from './exceptions.js';
import { formatField } from './format.js';
import * as items from './items.js';
import { jsonModule } from './json.js';
import { importName } from './modules.js';
import * as numbers from './numbers.js';
import * as operators from './operators.js';
import { starlarkRegexp } from './regexp.js';
import { exceptionText } from './represent.js';
import * as values from './values.js';

const helpers = {
  ...values,
  ...numbers,
  ...exceptions,
  ...operators,
  ...items,
  ...calls,
  formatField,
  importName,
  bytes: (text) => new values.PyBytes(text),
};

Object.assign(builtins, starlarkRegexp, {
  json: jsonModule,
  ask: ([question, piece = '']) => {
    const answer = JSON.parse(hostAsk(String(question), String(piece)));
    if (answer.error !== undefined) exceptions.fail('RuntimeError', answer.error);
    return values.noteText(answer.text);
  },
});
for (const name of [...Object.keys(starlarkRegexp), 'ask']) builtins[name].pythonName = name;

const globals = Object.create(null);

/** The host's end: it sets INPUT, runs compiled programs, and reads what they made. */
globalThis.__sandbox = {
  begin(input, mayBeWide) {
    values.wide.possible = mayBeWide;
    globals.INPUT = input;
  },
  run(program, mayBeWide) {
    values.wide.possible ||= mayBeWide;
    printed.text = '';
    try {
      program(helpers, builtins, globals);
      return '';
    } catch (error) {
      const exception = exceptions.caught(error);
      const text = exceptionText(exception);
      const line = exception.line > 0 ? ` (line ${exception.line})` : '';
      return `${exception.type.pythonName}${text === '' ? '' : `: ${text}`}${line}`;
    }
  },
  printed() {
    return printed.text;
  },
  /** The type of a global, '' where it is unset: only a `str` is then read. */
  typeOf(name) {
    const value = globals[name];
    return value === undefined ? '' : typeof value === 'string' ? 'string' : values.typeName(value);
  },
  read(name) {
    return globals[name];
  },
};
