/** int(), float(), round(), abs() and their kin. Runs inside the machine. */

import { fail } from './exceptions.js';
import { fixed, float, integer, isInteger, numeric } from './numbers.js';
import { equal, modulo } from './operators.js';
import { repr } from './represent.js';
import { PyFloat, typeName } from './values.js';

export function toInteger([value = 0, base], named) {
  const radix = base ?? named?.base;
  if (typeof value === 'string') return parseInteger(value, radix ?? 10);
  if (radix !== undefined) fail('TypeError', "int() can't convert non-string with explicit base");
  if (isInteger(value)) return typeof value === 'boolean' ? Number(value) : value;
  if (value instanceof PyFloat) {
    if (Number.isNaN(value.value)) fail('ValueError', 'cannot convert float NaN to integer');
    if (!Number.isFinite(value.value)) {
      fail('OverflowError', 'cannot convert float infinity to integer');
    }
    return integer(BigInt(Math.trunc(value.value)));
  }
  return fail(
    'TypeError',
    `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`,
  );
}

const PREFIXES = { 2: 'b', 8: 'o', 16: 'x' };

function parseInteger(text, base) {
  const bad = () =>
    fail('ValueError', `invalid literal for int() with base ${base}: ${repr(text)}`);
  const match = /^([-+]?)(0[bBoOxX])?(\w+)$/.exec(text.trim().replace(/(?<=\w)_(?=\w)/g, ''));
  if (match === null) return bad();
  const [, sign, prefix = '', digits] = match;
  const named = prefix === '' ? undefined : prefix[1].toLowerCase();
  const radix = base === 0 ? ({ b: 2, o: 8, x: 16 }[named] ?? 10) : base;
  let rest = digits;
  if (named !== undefined && named !== PREFIXES[radix]) rest = prefix + digits;
  let value = 0n;
  if (radix === 10) {
    if (!/^\d+$/.test(rest)) return bad();
    value = BigInt(rest);
  } else {
    for (const character of rest.toLowerCase()) {
      const digit = '0123456789abcdefghijklmnopqrstuvwxyz'.indexOf(character);
      if (digit < 0 || digit >= radix) return bad();
      value = value * BigInt(radix) + BigInt(digit);
    }
  }
  return integer(sign === '-' ? -value : value);
}

export function toFloat([value = 0]) {
  if (value instanceof PyFloat) return value;
  const number = numeric(value);
  if (number !== undefined) return float(number);
  if (typeof value !== 'string') {
    return fail(
      'TypeError',
      `float() argument must be a string or a real number, not '${typeName(value)}'`,
    );
  }
  const text = value.trim().toLowerCase();
  const special = /^([-+]?)(inf|infinity|nan)$/.exec(text);
  if (special !== null) {
    const size = special[2] === 'nan' ? Number.NaN : Number.POSITIVE_INFINITY;
    return float(special[1] === '-' ? -size : size);
  }
  if (!/^[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?$/.test(text)) {
    fail('ValueError', `could not convert string to float: ${repr(value)}`);
  }
  return float(Number(text.replaceAll('_', '')));
}

export function round([value, digits], named) {
  const places = digits ?? named?.ndigits ?? null;
  if (isInteger(value)) {
    if (places === null || places >= 0) return value;
    return integer(toMultiple(BigInt(value), 10n ** BigInt(-places), false));
  }
  if (!(value instanceof PyFloat)) {
    return fail('TypeError', `type ${typeName(value)} doesn't define __round__ method`);
  }
  if (places === null) return integer(BigInt(fixed(value.value, 0)));
  if (places >= 0 || !Number.isFinite(value.value)) {
    return float(Number(fixed(value.value, Math.max(0, Number(places)))));
  }
  const whole = Math.trunc(value.value);
  const unit = 10n ** BigInt(-places);
  const rounded = Number(toMultiple(BigInt(Math.abs(whole)), unit, whole !== value.value));
  return float(value.value < 0 ? -rounded : rounded);
}

/** The multiple of `unit` next to `value`, ties to the even one; `isMore`: what is rounded is a fraction more. */
function toMultiple(value, unit, isMore) {
  const size = value < 0n ? -value : value;
  const count = size / unit;
  const twice = (size % unit) * 2n;
  const isUp = twice > unit || (twice === unit && (isMore || count % 2n === 1n));
  const rounded = (count + (isUp ? 1n : 0n)) * unit;
  return value < 0n ? -rounded : rounded;
}

export function inBase(prefix, base) {
  return ([value]) => {
    if (!isInteger(value)) {
      fail('TypeError', `'${typeName(value)}' object cannot be interpreted as an integer`);
    }
    return `${value < 0 ? '-' : ''}${prefix}${(value < 0 ? -BigInt(value) : BigInt(value)).toString(base)}`;
  };
}

export function absolute([value]) {
  if (value instanceof PyFloat) return float(Math.abs(value.value));
  if (!isInteger(value)) fail('TypeError', `bad operand type for abs(): '${typeName(value)}'`);
  return value < 0
    ? integer(-BigInt(value))
    : Number(value) === value
      ? value
      : integer(BigInt(value));
}

export function powerModulo(base, exponent, divisor) {
  if (equal(divisor, 0)) fail('ValueError', 'pow() 3rd argument cannot be 0');
  let result = 1n;
  let factor = BigInt(modulo(base, divisor));
  for (let rest = BigInt(exponent); rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % BigInt(divisor);
    factor = (factor * factor) % BigInt(divisor);
  }
  return integer(result);
}
