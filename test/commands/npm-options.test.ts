import { expect, test } from 'vitest';
import { buildProgram } from '../../src/commands/definitions.ts';
import { parseArguments } from '../../src/commands/program.ts';
import { cliWith } from './cli.ts';

const commands = buildProgram().commands.map((command) => command.name);

/** Every option of every command with the variable that npm leaves when it takes it. */
const options = buildProgram().commands.flatMap((command) =>
  command.options.map(({ rawName, negated }) => {
    const option = rawName.replace(/[ <[].*/, '');
    const setting = option.replace(negated ? '--no-' : '--', '').replaceAll('-', '_');
    const value = negated ? '' : 'true';
    return { command: command.name, option, variable: `npm_config_${setting}`, value };
  }),
);
const ours = options.filter(({ option }) => !['--force', '--jobs', '--json'].includes(option));

test.each(ours)(
  '$command: $option that npm took is told',
  ({ command, option, variable, value }) => {
    const variables = { npm_lifecycle_event: command, [variable]: value };
    expect(() => parseArguments([command], variables)).toThrow(
      `npm took ${option} for itself: options stand behind --, as in npm run ${command} -- ${option}`,
    );
  },
);

test('what npm leaves without taking an option is none: its own settings, off values, other scripts', () => {
  const silent = { npm_config_audit: '', npm_config_cache: '/cache', npm_config_jobs: '4' };
  const off = { npm_config_json: 'true', npm_config_force: 'true', npm_config_strict: '' };
  for (const command of commands) {
    const start = (variables: Record<string, string>) => () =>
      parseArguments([command, '--help'], variables);
    expect(start({ npm_lifecycle_event: command, ...silent, ...off })).not.toThrow();
    expect(start({ npm_lifecycle_event: 'test', npm_config_strict: 'true' })).not.toThrow();
    expect(start({ npm_config_strict: 'true' })).not.toThrow();
  }
});

test('the command ends with 2 before it does anything', async () => {
  const variables = { npm_lifecycle_event: 'gate', npm_config_strict: 'true' };
  const { code, stdout, stderr } = await cliWith(variables, 'gate');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^error: npm took --strict/);
});
