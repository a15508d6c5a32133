import type { Place } from '../errors.ts';
import type { Catalog } from './catalog.ts';
import type { Located, LocatedScalar } from './located.ts';
import { type Axis, sameValue } from './matrix.ts';
import { Problems, shown } from './problems.ts';
import { checkSettable } from './settable.ts';
import { readYaml } from './yaml-document.ts';

const FORM = 'expected KEY=V1,V2, e.g. components.summarize.keep_last=1,3';

/** Reads the values of `--set KEY=V1,V2`; each option is an axis over every config that has its key. */
export function readSetOptions(
  options: readonly string[],
  components: Catalog,
  problems: Problems,
): Axis[] {
  const axes: Axis[] = [];
  for (const option of options) {
    const equals = option.indexOf('=');
    const key = (equals < 0 ? option : option.slice(0, equals)).trim();
    const at = placeOf(key);
    if (equals < 0 || key === '') {
      problems.add('usage', `found ${shown(key)}, ${FORM}`, at);
    } else if (axes.some((axis) => axis.key === key)) {
      problems.add('usage', `${shown(key)} is set twice: give all its values at once`, at);
    } else if (checkSettable(key, at, problems, components)) {
      const values = readValues(key, option.slice(equals + 1), problems);
      if (values.length > 0) axes.push({ key, values });
    }
  }
  return axes;
}

/** The place that a message about an option names. */
export function placeOf(key: string): Place {
  return { file: '--set', key };
}

/** Values are YAML scalars between commas; quotes keep a comma inside a value. */
function readValues(key: string, text: string, problems: Problems): LocatedScalar[] {
  const at = placeOf(key);
  const parsing = new Problems();
  const list = text.trim() === '' ? undefined : readYaml(`[${text}\n]`, at, parsing);
  if (parsing.count > 0 || list?.kind !== 'list' || text.trimEnd().endsWith(',')) {
    problems.add('usage', `${key}: found ${shown(text)}, ${FORM}`, at);
    return [];
  }
  const values: LocatedScalar[] = [];
  for (const item of list.items) {
    if (!isValue(item)) {
      const message = `${key}: expected single values: a text, a number, true or false`;
      problems.add('usage', message, at);
    } else if (values.some((earlier) => sameValue(earlier, item))) {
      problems.add('usage', `${key}: ${shown(String(item.value))} is given twice`, at);
    } else {
      values.push(item);
    }
  }
  return values;
}

function isValue(node: Located): node is LocatedScalar {
  return node.kind === 'scalar' && node.value !== null;
}
