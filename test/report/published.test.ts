import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HarnessError } from '../../src/errors.ts';
import { parsePublished } from '../../src/report/published.ts';

const read = (text: string) => parsePublished(text, 'rows.csv');

/** The error that the text gives, to look at its code and place. */
function refusal(text: string): HarnessError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
  throw new Error('the table was accepted');
}

describe('a published table', () => {
  test('needs task, config and reward, in any order, among other columns', () => {
    const { rows, configs, withoutReward } = read(
      '\uFEFFreward,extra,config,task,gw_before,gw_after\r\n1,x,base,a,10,7\r\n,y,cand,a,,\r\n',
    );
    expect(rows).toMatchObject([
      { task: 'a', config: 'base', reward: 1, before: 10, after: 7, trial: '0' },
      { task: 'a', config: 'cand', reward: undefined, before: undefined, line: 3 },
    ]);
    expect(configs).toEqual(['base', 'cand']);
    expect(withoutReward).toBe(1);
  });

  test('reads repeated rows as trials where it has no column for them, and says how many', () => {
    const { rows, impliedTrials } = read('task,config,reward\na,c,1\na,c,0\nb,c,1\n');
    expect(rows.map(({ trial }) => trial)).toEqual(['0', '1', '0']);
    expect(impliedTrials).toBe(1);
  });

  test('gives back every outcome that was written', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => text.trim() === text && text !== '');
    const outcome = fc.record({
      task: name,
      config: name,
      reward: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    });
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    fc.assert(
      fc.property(fc.array(outcome, { minLength: 1 }), (outcomes) => {
        const lines = outcomes.map(
          ({ task, config, reward }, trial) =>
            `${quoted(task)},${quoted(config)},${trial},${reward ?? ''}\n`,
        );
        const { rows } = read(`task,config,trial,reward\n${lines.join('')}`);
        expect(rows).toMatchObject(outcomes.map((row) => ({ ...row, reward: row.reward })));
        expect(rows).toHaveLength(outcomes.length);
      }),
    );
  });

  test('can have its columns under other headers', () => {
    const columns = { task: 'instance_id', config: 'experiment', reward: 'outcome' };
    const { rows } = parsePublished('experiment,instance_id,outcome\ne,i,1\n', 'rows.csv', columns);
    expect(rows).toMatchObject([{ task: 'i', config: 'e', reward: 1 }]);
  });

  test.each([
    ['', 'input.empty', undefined, /no rows/],
    ['task,config,reward\n', 'input.empty', undefined, /no rows/],
    ['task,config,reward,reward\na,c,1,0\n', 'input.schema', 1, /two columns 'reward'/],
    ['task,trial,config, trial,reward\na,1,c,2,1\n', 'input.schema', 1, /two columns 'trial'/],
    ['task,config,rewards\na,c,1\n', 'input.schema', 1, /no column 'reward'.*'rewards'/],
    [
      'task,config,reward\na,c,1\nb,c,1.5\n',
      'input.schema',
      3,
      /reward is '1.5', expected a number/,
    ],
    ['task,config,reward\na,c,yes\n', 'input.schema', 2, /reward is 'yes'/],
    ['task,config,reward\n,c,1\n', 'input.schema', 2, /task is ''/],
    ['task,config,reward,gw_before\na,c,1,-4\n', 'input.schema', 2, /gw_before is '-4'/],
    ['task,config,reward,trial\na,c,1,0\na,c,1,0\n', 'input.schema', 3, /has not had yet/],
    ['task,config,reward\na,"c,1\n', 'input.syntax', undefined, /not a CSV table/],
    ['task,config,reward\na,c\n', 'input.syntax', undefined, /not a CSV table/],
  ])('is refused with its place: %j', (text, code, line, message) => {
    const error = refusal(text);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.at?.file).toBe('rows.csv');
    expect(error.at?.line).toBe(line);
  });
});
