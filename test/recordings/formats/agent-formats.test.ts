import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentOf } from '../../../src/recordings/document.ts';
import { formats } from '../../../src/recordings/formats/catalog.ts';
import { addsUp, describeLoss } from '../../../src/recordings/loss.ts';
import { isObject } from '../../../src/wire/json-object.ts';
import { jsonl, readFiles } from '../support.ts';
import { type AgentSample, agentSamples } from './agent-samples.ts';

function textOf({ file, value }: AgentSample): string {
  const isLines = file.endsWith('.jsonl') && Array.isArray(value);
  return isLines ? jsonl(...value) : (JSON.stringify(value) ?? 'null');
}

describe.each(agentSamples)('$format ($file)', (sample) => {
  test('is recognized by its content, and as nothing else', () => {
    const file = { path: sample.file, absolute: `/x/${sample.file}`, named: true };
    const document = documentOf(file, Buffer.from(textOf(sample)));
    const names = formats.filter((format) => format.detect(document)).map(({ name }) => name);
    expect(names).toEqual([sample.format]);
  });

  test('is read without an error, and its loss report adds up', async () => {
    const { transcripts, problems, losses } = await readFiles({ [sample.file]: textOf(sample) });
    expect(problems).toEqual([]);
    expect(transcripts.length).toBeGreaterThan(0);
    for (const loss of losses) expect(addsUp(loss) ? '' : describeLoss(loss)).toBe('');
    const requests = transcripts.flatMap((transcript) => transcript.requests);
    expect(requests.every(({ messages }) => messages.length > 0)).toBe(true);
  });

  test('is the same twice', async () => {
    const hashes = async () =>
      (await readFiles({ [sample.file]: textOf(sample) })).transcripts.map(({ hash }) => hash);
    expect(await hashes()).toEqual(await hashes());
  });
});

type Path = readonly (string | number)[];

function placesIn(value: unknown, path: Path = []): Path[] {
  const inner = Array.isArray(value)
    ? value.flatMap((entry, index) => placesIn(entry, [...path, index]))
    : isObject(value)
      ? Object.entries(value).flatMap(([key, entry]) => placesIn(entry, [...path, key]))
      : [];
  return [path, ...inner];
}

/** `value` with what stands at `path` changed; undefined leaves it out. */
function changed(value: unknown, path: Path, by: (old: unknown) => unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return by(value);
  if (Array.isArray(value)) {
    return value.flatMap((entry: unknown, index) => {
      const next = index === step ? changed(entry, rest, by) : entry;
      return next === undefined ? [] : [next];
    });
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]) => {
      const next = key === step ? changed(entry, rest, by) : entry;
      return next === undefined ? [] : [[key, next]];
    }),
  );
}

const anything = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    true,
    -1,
    1e300,
    '',
    'text',
    [],
    {},
    [[]],
    [null],
    [{}],
    [{ type: 'x' }],
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const change = fc.oneof(
  anything.map((by) => () => by),
  // Lists may lose their order, or have an entry twice.
  fc.constantFrom(
    (old: unknown) => (Array.isArray(old) ? [...old].reverse() : old),
    (old: unknown) => (Array.isArray(old) ? old.flatMap((entry: unknown) => [entry, entry]) : old),
  ),
);

const broken = fc
  .record({
    sample: fc.constantFrom(...agentSamples),
    changes: fc.array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 3 }),
    cut: fc.option(fc.nat(), { freq: 6 }),
  })
  .map(({ sample, changes, cut }) => {
    let { value } = sample;
    for (const [number, by] of changes) {
      const places = placesIn(value);
      value = changed(value, places[number % places.length] ?? [], by);
    }
    const text = textOf({ ...sample, value });
    return {
      file: sample.file,
      text: cut === null ? text : text.slice(0, cut % (text.length + 1)),
    };
  });

test('whatever stands in a file, it is read or told of, and its loss report adds up', async () => {
  let read = 0;
  let reported = 0;
  await fc.assert(
    fc.asyncProperty(broken, async ({ file, text }) => {
      const { transcripts, problems, losses } = await readFiles({ [file]: text }, [file]);
      if (transcripts.length > 0) read++;
      if (problems.length > 0) reported++;
      expect(transcripts.length + problems.length).toBeGreaterThan(0);
      expect(problems.filter(({ code }) => code === 'harness.internal')).toEqual([]);
      for (const loss of losses) expect(addsUp(loss) ? '' : describeLoss(loss)).toBe('');
      for (const { at } of problems) expect(at.file).toContain(file);
    }),
    { numRuns: 300, seed: 7 },
  );
  expect(read).toBeGreaterThan(80);
  expect(reported).toBeGreaterThan(60);
});
