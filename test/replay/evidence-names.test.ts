import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  argumentTexts,
  forEachName,
  NameTable,
  namesInCalls,
  namesInText,
} from '../../src/replay/evidence-names.ts';
import { conversation } from '../support/wire-steps.ts';

function called(input: string, text = 'I look.') {
  const { messages } = conversation('openai-chat', [
    { kind: 'exchange', text, calls: [{ id: 'a', input }] },
  ]);
  const [action] = messages;
  if (action === undefined) throw new Error('no action');
  return action;
}

const used = (input: unknown) =>
  namesInCalls(called(JSON.stringify(input))).map(({ value }) => value);

const namesOf = (text: string) => {
  const names = new Set<string>();
  forEachName(text, (name) => names.add(name));
  return [...names];
};

describe('the texts of arguments', () => {
  test('are the string values as decoded, whatever their depth, and no keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }), (value) => {
        const texts: string[] = [];
        const collect = (part: unknown): void => {
          // A string that is JSON itself is opened up, so only others stand as they are.
          if (typeof part === 'string') texts.push(part);
          else if (Array.isArray(part)) part.forEach(collect);
          else if (part !== null && typeof part === 'object') Object.values(part).forEach(collect);
        };
        collect(value);
        const plain = texts.filter((text) => !/^\s*[[{"]/.test(text));
        const found = argumentTexts(JSON.stringify(value, null, 1));
        expect(found).toEqual(expect.arrayContaining(plain));
        const numbers = found.filter((text) => /^-?[\d.eE+-]+$/.test(text)).length;
        expect(found.length - numbers).toBeLessThanOrEqual(texts.length);
      }),
    );
  });

  test('are numbers of four digits and more, as written', () => {
    expect(
      argumentTexts('{"a": 123, "b": 1234, "c": [12345678901234567890, 1e10, -2048, 1.5]}'),
    ).toEqual(['1234', '12345678901234567890', '-2048']);
  });

  test('are those of JSON within a string', () => {
    const inner = JSON.stringify({ path: 'src/a.ts', deep: JSON.stringify(['user_1\nuser_2']) });
    expect(argumentTexts(JSON.stringify({ body: inner })).toSorted()).toEqual([
      'src/a.ts',
      'user_1\nuser_2',
    ]);
  });

  test('are the whole of what is no JSON, such as a patch', () => {
    expect(argumentTexts('*** Update File: src/a.ts\n+x')).toEqual([
      '*** Update File: src/a.ts\n+x',
    ]);
  });
});

describe('the names that an action uses', () => {
  test('stand in commands, patches and code', () => {
    expect(
      used({ command: ['bash', '-lc', 'cd /repo && pytest tests/test_a.py::test_x'] }),
    ).toEqual(['/repo', 'tests/test_a.py', 'test_x']);
    expect(used({ patch: '--- a/src/a.ts\n+++ b/src/a.ts\n@@\n-userId\n+user_id' })).toEqual([
      'a/src/a.ts',
      'b/src/a.ts',
      'userId',
      'user_id',
    ]);
    expect(used({ code: 'print("#W1234567", e["naïve_é1"])' })).toEqual(['W1234567', 'naïve_é1']);
  });

  test('are told from the escapes that stand before them', () => {
    expect(used({ code: "print('a_b\\nc_d\\t\"e_f')" })).toEqual(['a_b', 'c_d', 'e_f']);
    expect(used({ code: 'x = "caf\\u00e9_1", "src\\/a.ts"' })).toEqual(['café_1', 'src/a.ts']);
  });

  test('have a second reading where a backslash may be none of an escape', () => {
    expect(namesInCalls(called(JSON.stringify({ path: 'C:\\new_dir\\x_1' })))).toEqual([
      { value: 'ew_dir', otherReading: 'new_dir' },
      { value: 'x_1' },
    ]);
  });

  test('in its text are apart', () => {
    const action = called('{"id": "u_1"}', 'I read src/b.ts.');
    expect(namesInCalls(action)).toEqual([{ value: 'u_1' }]);
    expect(namesInText(action)).toEqual([{ value: 'src/b.ts' }]);
  });
});

describe('the names of a text', () => {
  test('are there in both readings of a backslash', () => {
    expect(namesOf('{"a": "x_1\\nfoo_bar", "b": "src\\/a.ts"}')).toEqual(
      expect.arrayContaining(['x_1', 'foo_bar', 'nfoo_bar', 'src/a.ts']),
    );
    expect(namesOf('C:\\new_dir')).toEqual(expect.arrayContaining(['new_dir', 'ew_dir']));
    expect(namesOf('{"a": "{\\"id\\": \\"u_1\\\\nu_2\\"}"}')).toEqual(
      expect.arrayContaining(['u_1', 'u_2']),
    );
  });

  test('are whole tokens: u12 is not in u123', () => {
    const table = new NameTable();
    const u12 = table.add('u12');
    expect(table.numbersIn('u123 xu12 u12-b x/u12')).toEqual([]);
    expect(table.numbersIn('(u12).')).toEqual([u12]);
    expect(table.numbersIn('利用者u12は')).toEqual([u12]);
  });
});
