/** Arithmetic on int (exact, of any size), float and bool. Runs inside the machine. */

import { fail } from './exceptions.js';
import { PyFloat, typeName } from './values.js';

/** As a bigint: the machine's engine compares a bigint with a negative number wrongly. */
const MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** A number where the bigint is exact as one, else the bigint. */
export function integer(value) {
  return value <= MAX && value >= -MAX ? Number(value) : value;
}

export function float(value) {
  return new PyFloat(value);
}

export function isInteger(value) {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
}

/** The JavaScript number of an int, float or bool; undefined for anything else. */
export function numeric(value) {
  if (typeof value === 'number') return value;
  if (value instanceof PyFloat) return value.value;
  return typeof value === 'bigint' || typeof value === 'boolean' ? Number(value) : undefined;
}

/**
 * A binary operation on two numbers: in floats where one is a float, else exactly.
 * Undefined where an operand is no number.
 */
function operate(left, right, onFloats, onIntegers) {
  if (left instanceof PyFloat || right instanceof PyFloat) {
    const a = numeric(left);
    const b = numeric(right);
    return a === undefined || b === undefined ? undefined : new PyFloat(onFloats(a, b));
  }
  if (!isInteger(left) || !isInteger(right)) return undefined;
  return integer(onIntegers(BigInt(left), BigInt(right)));
}

export function unsupported(operator, left, right) {
  return fail(
    'TypeError',
    `unsupported operand type(s) for ${operator}: '${typeName(left)}' and '${typeName(right)}'`,
  );
}

export function addNumbers(left, right) {
  return operate(
    left,
    right,
    (a, b) => a + b,
    (a, b) => a + b,
  );
}

export function subtractNumbers(left, right) {
  return operate(
    left,
    right,
    (a, b) => a - b,
    (a, b) => a - b,
  );
}

export function multiplyNumbers(left, right) {
  return operate(
    left,
    right,
    (a, b) => a * b,
    (a, b) => a * b,
  );
}

export function divide(left, right) {
  const a = numeric(left);
  const b = numeric(right);
  if (a === undefined || b === undefined) return unsupported('/', left, right);
  if (b === 0) fail('ZeroDivisionError', 'division by zero');
  return new PyFloat(a / b);
}

export function floorDivide(left, right) {
  if (numeric(right) === 0 && numeric(left) !== undefined) {
    fail('ZeroDivisionError', 'integer division or modulo by zero');
  }
  if (typeof left === 'number' && typeof right === 'number') return Math.floor(left / right) + 0;
  return (
    operate(left, right, (a, b) => Math.floor(a / b), floorBig) ?? unsupported('//', left, right)
  );
}

function floorBig(a, b) {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

/** The remainder with the divisor's sign. */
export function moduloNumbers(left, right) {
  if (numeric(right) === 0 && numeric(left) !== undefined) {
    fail('ZeroDivisionError', 'integer modulo by zero');
  }
  if (typeof left === 'number' && typeof right === 'number') {
    const rest = left % right;
    return rest !== 0 && rest < 0 !== right < 0 ? rest + right : rest + 0;
  }
  return operate(
    left,
    right,
    (a, b) => {
      const rest = a % b;
      return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
    },
    (a, b) => a - floorBig(a, b) * b,
  );
}

export function power(left, right) {
  if (isInteger(left) && isInteger(right)) {
    if (right >= 0) return integer(BigInt(left) ** BigInt(right));
    if (Number(left) === 0) fail('ZeroDivisionError', '0.0 cannot be raised to a negative power');
    return new PyFloat(Number(left) ** Number(right));
  }
  const a = numeric(left);
  const b = numeric(right);
  if (a === undefined || b === undefined) return unsupported('** or pow()', left, right);
  return new PyFloat(a ** b);
}

export function negate(value) {
  if (value instanceof PyFloat) return new PyFloat(-value.value);
  if (isInteger(value)) return typeof value === 'bigint' ? integer(-value) : 0 - value;
  return fail('TypeError', `bad operand type for unary -: '${typeName(value)}'`);
}

export function positive(value) {
  if (value instanceof PyFloat) return value;
  if (isInteger(value)) return typeof value === 'boolean' ? Number(value) : value;
  return fail('TypeError', `bad operand type for unary +: '${typeName(value)}'`);
}

export function invert(value) {
  if (!isInteger(value)) {
    return fail('TypeError', `bad operand type for unary ~: '${typeName(value)}'`);
  }
  return integer(~BigInt(value));
}

/** `&`, `|` and `^` on ints; undefined for anything else. */
export function bitwise(operator, left, right) {
  if (!isInteger(left) || !isInteger(right)) return undefined;
  const a = BigInt(left);
  const b = BigInt(right);
  const result = integer(operator === '&' ? a & b : operator === '|' ? a | b : a ^ b);
  const isBoolean = typeof left === 'boolean' && typeof right === 'boolean';
  return isBoolean ? result === 1 : result;
}

export function shiftLeft(left, right) {
  if (!isInteger(left) || !isInteger(right)) return unsupported('<<', left, right);
  if (right < 0) fail('ValueError', 'negative shift count');
  return integer(BigInt(left) << BigInt(right));
}

export function shiftRight(left, right) {
  if (!isInteger(left) || !isInteger(right)) return unsupported('>>', left, right);
  if (right < 0) fail('ValueError', 'negative shift count');
  return integer(BigInt(left) >> BigInt(right));
}

/** The decimal that repr() shows: the shortest that reads back, in Python's layout. */
export function floatText(value) {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const sign = value < 0 ? '-' : '';
  const [mantissa, exponentText] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${sign}${digits[0]}${fraction}${exponentNotation(exponent)}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}

export function exponentNotation(exponent) {
  return `e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** `value` with `places` decimals, ties to even. */
export function fixed(value, places) {
  const count = Math.min(places, 100);
  const text = value.toFixed(count);
  if (count >= 80 || Math.abs(value) >= 1e21) return text;
  // toFixed rounds ties up; a tie shows as an exact 5 in the digits after the last.
  const exact = value.toFixed(Math.min(100, count + 20));
  const rest = exact.slice(exact.indexOf('.') + 1 + count);
  if (!/^50*$/.test(rest)) return text;
  const truncated = exact.slice(0, exact.length - rest.length).replace(/\.$/, '');
  const last = truncated.charCodeAt(truncated.length - 1) - 48;
  return last % 2 === 0 ? truncated : text;
}
