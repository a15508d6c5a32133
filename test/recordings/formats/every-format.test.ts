import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentOf } from '../../../src/recordings/document.ts';
import { formats } from '../../../src/recordings/formats/catalog.ts';
import { addsUp, describeLoss } from '../../../src/recordings/loss.ts';
import { isObject } from '../../../src/wire/json-object.ts';
import { readFiles } from '../support.ts';
import { type SampleFile, sampleFiles } from './samples.ts';

describe.each(sampleFiles)('$format ($file)', ({ format, file, value }) => {
  const text = JSON.stringify(value, null, 1);

  test('is recognized by its content, and as nothing else', () => {
    const found = { path: file, absolute: `/x/${file}`, named: true };
    const document = documentOf(found, Buffer.from(text));
    const detecting = formats.filter((candidate) => candidate.detect(document));
    // Bare lists of messages are of the agent whose words they hold, and are lists all the same.
    const names = detecting.map(({ name }) => name).filter((name) => name !== 'messages');
    expect(format === 'messages' ? ['messages'] : names).toEqual([format]);
  });

  test('is read without a problem, and its loss report adds up', async () => {
    const { transcripts, problems, losses } = await readFiles({ [file]: text });
    // One sample has an episode without an action, which is told as it should be.
    expect(problems.filter(({ message }) => !message.includes('holds no request'))).toEqual([]);
    expect(transcripts.length).toBeGreaterThan(0);
    expect(losses.map(({ file: named, format: name }) => [named, name])).toEqual([[file, format]]);
    for (const loss of losses)
      expect([addsUp(loss), describeLoss(loss)]).toEqual([true, expect.anything()]);
    expect(losses[0]?.found).toBeGreaterThan(0);
  });

  test('is the same in another spelling, and packed', async () => {
    const plain = await readFiles({ [file]: text });
    const dense = await readFiles({ [file]: JSON.stringify(value) });
    const roles = (read: typeof plain) =>
      read.transcripts.map(({ task, requests }) => [
        task,
        requests.map(({ messages, action }) =>
          [...messages, action].map((entry) => entry?.identity.hash),
        ),
      ]);
    expect(roles(dense)).toEqual(roles(plain));
  });
});

/** A path to a value inside `value`. */
function placesIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): (readonly (string | number)[])[] {
  const inner = Array.isArray(value)
    ? value.flatMap((entry, index) => placesIn(entry, [...path, index]))
    : isObject(value)
      ? Object.entries(value).flatMap(([key, entry]) => placesIn(entry, [...path, key]))
      : [];
  return [path, ...inner];
}

function replaced(value: unknown, path: readonly (string | number)[], by: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return by;
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) =>
      index === step ? [replaced(entry, rest, by)] : [entry],
    );
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]) =>
      key !== step
        ? [[key, entry]]
        : rest.length === 0 && by === undefined
          ? []
          : [[key, replaced(entry, rest, by)]],
    ),
  );
}

const anything = fc.oneof(
  fc.constantFrom(undefined, null, true, -1, 1e300, '', 'text', [], {}, [[]], [null], [{}]),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A file with one to three values replaced by anything, or left out. */
const broken = fc
  .record({
    sample: fc.constantFrom(...sampleFiles),
    changes: fc.array(fc.tuple(fc.nat(), anything), { minLength: 1, maxLength: 3 }),
  })
  .map(({ sample, changes }): SampleFile => {
    let { value } = sample;
    for (const [number, by] of changes) {
      const places = placesIn(value);
      value = replaced(value, places[number % places.length] ?? [], by);
    }
    return { ...sample, value };
  });

test('whatever stands in a file, it is read or told of, and its loss report adds up', async () => {
  let reported = 0;
  let read = 0;
  await fc.assert(
    fc.asyncProperty(broken, async ({ file, value }) => {
      const files = { [file]: JSON.stringify(value) ?? 'null' };
      const { transcripts, problems, losses } = await readFiles(files, [file]);
      if (problems.length > 0) reported++;
      if (transcripts.length > 0) read++;
      expect(transcripts.length + problems.length).toBeGreaterThan(0);
      expect(problems.filter(({ code }) => code === 'harness.internal')).toEqual([]);
      for (const loss of losses) expect(addsUp(loss) ? '' : describeLoss(loss)).toBe('');
      for (const { at, severity } of problems)
        if (severity === 'error') expect(at.file).toContain(file);
    }),
    { numRuns: 400, seed: 7 },
  );
  expect(reported).toBeGreaterThan(100);
  expect(read).toBeGreaterThan(60);
});
