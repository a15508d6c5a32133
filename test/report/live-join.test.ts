import { describe, expect, test } from 'vitest';
import { joinedSavings, joinLive } from '../../src/report/live-join.ts';
import { parsePublished } from '../../src/report/published.ts';
import { runRow } from '../support/rows.ts';

const table = (text: string) => parsePublished(text, 'rewards.csv');
const rows = [
  runRow('a', 'baseline'),
  runRow('a', 'c', { reward: 0 }),
  runRow('b', 'baseline'),
  runRow('b', 'c'),
];

describe('live rewards beside a run', () => {
  test('join by task and config, whatever the number of a single trial', () => {
    const live = table('task,config,trial,reward\na,baseline,7,1\na,c,7,1\nb,c,3,1\nx,c,0,1\n');
    const join = joinLive(live, rows, 'baseline');
    expect(join).toMatchObject({ joined: 3, alone: 1, cellsAlone: 1 });
    expect(join.agreement).toEqual({ both: 1, groundedOnly: 0, liveOnly: 1, neither: 0 });
  });

  test('join by trial where there are several', () => {
    const trials = [
      runRow('a', 'c', { trial: '1', reward: 0 }),
      runRow('a', 'c', { trial: '2', reward: 1 }),
    ];
    const live = table('task,config,trial,reward\na,c,2,0\na,c,3,0\n');
    const join = joinLive(live, trials, 'baseline');
    expect(join).toMatchObject({ joined: 1, alone: 1, cellsAlone: 1 });
    expect(join.agreement.groundedOnly).toBe(1);
  });

  test('a name that was kept from being run as a formula is still that name', () => {
    const join = joinLive(
      table("task,config,reward\n'@scope/package,c,1\n"),
      [runRow('@scope/package', 'c')],
      'baseline',
    );
    expect(join.joined).toBe(1);
  });

  test("the table's own counts win; without any, those of the run are taken", () => {
    const bare = table('task,config,reward\na,c,1\n');
    const counted = table('task,config,reward,gw_before,gw_after\na,c,1,50,40\nb,c,1,,\n');
    const join = joinLive(bare, rows, 'baseline');
    expect(joinedSavings(bare, join)).toMatchObject([{ before: 1000, after: 500 }]);
    expect(joinedSavings(counted, join)[0]).toMatchObject({ before: 50, after: 40 });
    expect(joinedSavings(bare, undefined)).toMatchObject([{ task: 'a', before: undefined }]);
  });
});
