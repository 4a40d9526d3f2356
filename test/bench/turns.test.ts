import assert from 'node:assert/strict';
import { Bench } from '../../bench/harness/bench.ts';
import { Children } from '../../bench/harness/children.ts';
import type { Subject, SubjectName } from '../../bench/harness/subject.ts';

/** A subject without a process, because only the order of the turns matters. */
const subject = (name: SubjectName): Subject => ({
  name,
  prepare: async () => '',
  start: async () => ({
    url: 'http://127.0.0.1:1',
    spawnedAt: 0n,
    answeredAt: 0n,
    pids: async () => [],
    stop: async () => {},
  }),
});

describe('the turns of a benchmark', () => {
  it('let no subject rest while the others warm up, and begin with a different one in each round', async () => {
    const children = new Children({ graceMs: 1_000, report: assert.fail });
    const names = ['ours', 'before', 'peer'] as const;
    const subjects = names.map((name) => ({ subject: subject(name), project: '' }));
    const bench = new Bench({ subjects, rounds: 2, children });
    const made: string[] = [];
    await bench.takeTurns({
      warmUp: async ({ name }) => {
        made.push(`warm ${name}`);
      },
      warmUps: 2,
      turn: async ({ name }) => {
        made.push(name);
      },
    });
    const rounds = ['ours', 'before', 'peer', 'before', 'peer', 'ours'];
    assert.deepEqual(made, [...rounds.map((name) => `warm ${name}`), ...rounds]);
  });
});
