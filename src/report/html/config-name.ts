import { controlledBy } from '../results/controls.ts';
import { rowsLink } from './links.ts';
import { type Child, element } from './markup.ts';

/** Characters that a table gives to a name in one line. */
const LONG = 40;

/** A config's name beside its figures; a control stands indented under the config that it matches. */
export function configName(config: string): Child {
  if (controlledBy(config) === undefined) {
    if (config.length <= LONG) return rowsLink([['config', '=', config]], config);
    const parts = config.split(/(?<=[:,])/).map((part) => [part, element('wbr', {})]);
    return element('span', { class: 'long-name' }, rowsLink([['config', '=', config]], parts));
  }
  const short = config.replace(/^(control-[^@]+)@.*$/s, '$1');
  return element('span', { title: config }, '↳ ', rowsLink([['config', '=', config]], short));
}
