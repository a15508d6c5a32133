import { controlledBy } from '../results/controls.ts';
import { rowsLink } from './links.ts';
import { type Child, element } from './markup.ts';

/** A config's name beside its figures; a control stands indented under the config that it matches. */
export function configName(config: string): Child {
  if (controlledBy(config) === undefined) return rowsLink([['config', '=', config]], config);
  const short = config.replace(/^(control-[^@]+)@.*$/s, '$1');
  return element('span', { title: config }, '↳ ', rowsLink([['config', '=', config]], short));
}
