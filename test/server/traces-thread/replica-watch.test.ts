import assert from 'node:assert/strict';
import { makeLogger } from '../../../src/server/logger.ts';
import { ReplicaWatch } from '../../../src/server/traces-thread/replica-watch.ts';

describe('the state of its replica that a server reports', () => {
  it('is logged when the replica is gone and when it is back, and counted each time', () => {
    const logged: string[] = [];
    const logger = makeLogger({ level: 'info' });
    const watch = new ReplicaWatch(
      Object.assign(Object.create(logger), {
        info: (line: string) => logged.push(line),
        error: (line: string) => logged.push(line),
      }),
    );
    assert.deepEqual([watch.state, watch.read()], [undefined, []]);
    const values = () => {
      const [up, outcomes] = watch.read();
      return [up?.samples[0]?.value, ...(outcomes?.samples.map(({ value }) => value) ?? [])];
    };
    watch.note('answered');
    watch.note('behind');
    assert.deepEqual([watch.state, values(), logged], ['behind', [1, 1, 1, 0, 0, 0], []]);
    watch.note('away');
    watch.note('away');
    assert.deepEqual([watch.state, values()], ['away', [0, 1, 1, 0, 2, 0]]);
    watch.note('unrelated');
    watch.note('canceled');
    assert.deepEqual([watch.state, values()], ['used', [1, 1, 1, 1, 2, 1]]);
    assert.deepEqual(
      logged.map((line) => line.split(':')[0]),
      [
        'the replica cannot be reached',
        'AGENT_HARBOR_DATABASE_REPLICA is not a standby of this database',
        'the replica answers queries of traces again',
      ],
    );
  });
});
