/** The format mini-language, `%` formatting and str.format(). Runs inside the machine. */

import { fail } from './exceptions.js';
import { exponentNotation, fixed, floatText, isInteger, numeric } from './numbers.js';
import { ascii, repr, str } from './represent.js';
import { PyDict, PyFloat, PyTuple, textLength, typeName } from './values.js';

const SPECIFICATION =
  /^(?:([\s\S])?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/u;

/** One field of an f-string. */
export function formatField(value, conversion, specification) {
  return format(convert(value, conversion), specification);
}

function convert(value, conversion) {
  if (conversion === 'r') return repr(value);
  if (conversion === 's') return str(value);
  return conversion === 'a' ? ascii(value) : value;
}

/** Python's format(value, specification). */
export function format(value, specification) {
  if (specification === '') return str(value);
  const parsed = SPECIFICATION.exec(specification);
  if (parsed === null) fail('ValueError', `Invalid format specifier '${specification}'`);
  const [, fill, align, sign, , alternate, zero, width, grouping, precision, type] = parsed;
  const options = {
    fill: fill ?? (zero === undefined ? ' ' : '0'),
    align: align ?? (zero === undefined ? undefined : '='),
    sign: sign ?? '-',
    alternate: alternate !== undefined,
    width: Number(width ?? 0),
    grouping: grouping ?? '',
    precision: precision === undefined ? undefined : Number(precision),
    type: type ?? '',
  };
  if (typeof value === 'string') {
    if (options.type !== '' && options.type !== 's') unknownCode(options.type, value);
    const text =
      options.precision === undefined ? value : [...value].slice(0, options.precision).join('');
    return pad(text, { ...options, align: options.align === '=' ? '<' : options.align }, '<');
  }
  if (isInteger(value) || value instanceof PyFloat) {
    if (typeof value === 'boolean' && options.type === '') return pad(str(value), options, '<');
    return formatNumber(value, options);
  }
  if (value === null || typeof value === 'function') {
    return fail('TypeError', `unsupported format string passed to ${typeName(value)}.__format__`);
  }
  return pad(str(value), options, '<');
}

function unknownCode(type, value) {
  fail('ValueError', `Unknown format code '${type}' for object of type '${typeName(value)}'`);
}

function formatNumber(value, options) {
  const { type } = options;
  if ('bcdoxXn'.includes(type) && type !== '' && !isInteger(value)) unknownCode(type, value);
  if (type === 's') unknownCode(type, value);
  if (type === 'c') return pad(String.fromCodePoint(Number(value)), options, '<');
  const isWhole = isInteger(value) && (type === '' || 'bdoxXn'.includes(type));
  const negative = isWhole ? value < 0 : numeric(value) < 0 || Object.is(numeric(value), -0);
  const body = isWhole
    ? wholeDigits(value, options)
    : floatDigits(Math.abs(numeric(value)), options);
  const sign = negative ? '-' : options.sign === '-' ? '' : options.sign;
  const prefix =
    isWhole && options.alternate ? ({ b: '0b', o: '0o', x: '0x', X: '0X' }[type] ?? '') : '';
  const grouped = group(body, options);
  const head = sign + prefix;
  if (options.align === '=') {
    const room = options.width - head.length;
    if (options.fill === '0' && options.grouping !== '') {
      return head + padGrouped(grouped, room, options.grouping);
    }
    return head + grouped.padStart(room, options.fill);
  }
  return pad(head + grouped, options, '>');
}

function wholeDigits(value, { type }) {
  const big = BigInt(value);
  const digits = (big < 0n ? -big : big).toString({ b: 2, o: 8, x: 16, X: 16 }[type] ?? 10);
  return type === 'X' ? digits.toUpperCase() : digits;
}

function floatDigits(value, options) {
  const { type, precision } = options;
  if (!Number.isFinite(value)) {
    const text = floatText(value) + (type === '%' ? '%' : '');
    return /[EFG]/.test(type) ? text.toUpperCase() : text;
  }
  if (type === 'f' || type === 'F') return fixed(value, precision ?? 6);
  if (type === '%') return `${fixed(value * 100, precision ?? 6)}%`;
  if (type === 'e' || type === 'E') {
    const text = exponential(value, precision ?? 6);
    return type === 'E' ? text.toUpperCase() : text;
  }
  if (type === '' && precision === undefined) return floatText(value);
  const text = general(value, precision ?? 6, type === '');
  return type === 'G' ? text.toUpperCase() : text;
}

function exponential(value, precision) {
  const [mantissa, exponent] = value.toExponential(Math.min(100, precision)).split('e');
  return mantissa + exponentNotation(Number(exponent));
}

/** `g`: `precision` significant digits; without a type, a float keeps one decimal. */
function general(value, precision, isPlain) {
  const digits = Math.max(1, precision);
  const exponent =
    value === 0 ? 0 : Number(value.toExponential(Math.min(100, digits - 1)).split('e')[1]);
  if (exponent < -4 || exponent >= digits - (isPlain ? 1 : 0)) {
    return exponential(value, digits - 1).replace(/\.?0+e/, 'e');
  }
  const text = fixed(value, Math.max(0, digits - 1 - exponent));
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return isPlain && !short.includes('.') ? `${short}.0` : short;
}

function group(body, { grouping, type }) {
  if (grouping === '') return body;
  const [whole] = /^[0-9a-fA-F]*/.exec(body);
  const size = 'boxX'.includes(type) && type !== '' ? 4 : 3;
  const pattern = new RegExp(`(?<=[0-9a-fA-F])(?=(?:[0-9a-fA-F]{${size}})+$)`, 'g');
  return whole.replace(pattern, grouping) + body.slice(whole.length);
}

function padGrouped(text, width, mark) {
  let result = text;
  while (result.length < width) {
    const lead = /^\d*/.exec(result)[0].length;
    const next = lead === 3 ? `0${mark}${result}` : `0${result}`;
    result = next;
  }
  return result;
}

function pad(text, { fill, align, width }, usual) {
  const room = width - textLength(text);
  if (room <= 0) return text;
  const side = align ?? usual;
  if (side === '<') return text + fill.repeat(room);
  if (side === '>' || side === '=') return fill.repeat(room) + text;
  const left = Math.floor(room / 2);
  return fill.repeat(left) + text + fill.repeat(room - left);
}

const PERCENT = /%(?:\(([^)]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?[hlL]?([diouxXeEfFgGcrsa%])|%/g;

/** `template % values`. */
export function formatPercent(template, values) {
  const list = values instanceof PyTuple ? values.items : [values];
  let used = 0;
  const next = () => {
    if (used >= list.length) fail('TypeError', 'not enough arguments for format string');
    return list[used++];
  };
  const result = template.replace(PERCENT, (_all, name, flags, widthText, precisionText, type) => {
    if (type === '%') return '%';
    if (type === undefined) fail('ValueError', 'incomplete or unsupported format');
    const width = widthText === '*' ? next() : Number(widthText ?? 0);
    const precision = precisionText === '*' ? next() : precisionText;
    const value = name === undefined ? next() : fromMapping(values, name);
    return percentField(value, type, flags, width, precision);
  });
  const isMapping = values instanceof PyDict;
  if (used < list.length && !isMapping) {
    fail('TypeError', 'not all arguments converted during string formatting');
  }
  return result;
}

function fromMapping(values, name) {
  if (!(values instanceof PyDict)) fail('TypeError', 'format requires a mapping');
  if (!values.has(name)) fail('KeyError', name);
  return values.get(name);
}

function percentField(value, type, flags, width, precision) {
  const align = flags.includes('-') ? '<' : '>';
  if ('rsa'.includes(type)) {
    const text = convert(value, type);
    const cut = precision === undefined ? text : [...text].slice(0, Number(precision)).join('');
    return pad(cut, { fill: ' ', align, width }, '>');
  }
  if (type === 'c') {
    const text = typeof value === 'string' ? value : String.fromCodePoint(Number(value));
    return pad(text, { fill: ' ', align, width }, '>');
  }
  if (numeric(value) === undefined) {
    const kind = 'diu'.includes(type) ? 'a real number is required' : 'must be real number';
    fail('TypeError', `%${type} format: ${kind}, not ${typeName(value)}`);
  }
  const isWhole = 'diouxX'.includes(type);
  const number =
    isWhole && value instanceof PyFloat
      ? BigInt(Math.trunc(value.value))
      : isWhole
        ? value
        : new PyFloat(numeric(value));
  const zero = flags.includes('0') && align === '>';
  return formatNumber(number, {
    fill: zero ? '0' : ' ',
    align: zero ? '=' : align,
    sign: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '-',
    alternate: flags.includes('#'),
    width,
    grouping: '',
    precision: precision === undefined ? undefined : Number(precision),
    type: isWhole ? (type === 'i' || type === 'u' ? 'd' : type) : type,
  });
}

/** `template.format(…)`; `access` reads an attribute or an item of a value. */
export function formatTemplate(template, values, keywords, access) {
  let automatic = 0;
  let at = 0;
  const read = (nested) => {
    let result = '';
    while (at < template.length) {
      const character = template[at];
      if (character === '{' && template[at + 1] === '{' && !nested) {
        result += '{';
        at += 2;
      } else if (character === '{') {
        at++;
        result += field();
      } else if (character === '}') {
        if (nested) return result;
        if (template[at + 1] !== '}') {
          fail('ValueError', "Single '}' encountered in format string");
        }
        result += '}';
        at += 2;
      } else {
        result += character;
        at++;
      }
    }
    return result;
  };
  const field = () => {
    const [path] = /^[^{}:!]*/.exec(template.slice(at));
    at += path.length;
    let value = lookUp(path);
    if (template[at] === '!') {
      value = convert(value, template[at + 1]);
      at += 2;
    }
    let specification = '';
    if (template[at] === ':') {
      at++;
      specification = read(true);
    }
    if (template[at] !== '}') fail('ValueError', "expected '}' before end of string");
    at++;
    return format(value, specification);
  };
  const lookUp = (path) => {
    const [head] = /^[^.[]*/.exec(path);
    let value;
    if (head === '' || /^\d+$/.test(head)) {
      const index = head === '' ? automatic++ : Number(head);
      if (index >= values.length) {
        fail('IndexError', `Replacement index ${index} out of range for positional args tuple`);
      }
      value = values[index];
    } else {
      if (keywords === null || !(head in keywords)) fail('KeyError', head);
      value = keywords[head];
    }
    for (const [, name, key] of path.slice(head.length).matchAll(/\.([^.[]+)|\[([^\]]+)\]/g)) {
      value = access(value, name, key);
    }
    return value;
  };
  return read(false);
}
