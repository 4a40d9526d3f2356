import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { DatabaseLink } from '../../../../../src/server/team/postgres/link/database-link.ts';

/** A thread that ends as soon as it has said that its database is open. */
const SHORT_THREAD = `
  import { parentPort } from 'node:worker_threads';
  parentPort.postMessage({ ready: true });
`;

describe('a connection to PostgreSQL in a thread', () => {
  it('closes after its thread has ended', async () => {
    const started = once(process, 'worker') as Promise<[Worker]>;
    const opened = DatabaseLink.open({
      thread: new URL(`data:text/javascript,${encodeURIComponent(SHORT_THREAD)}`),
      url: 'postgres://unused',
      application: 'test',
      migrates: false,
      settings: {},
    });
    const [worker] = await started;
    const exited = once(worker, 'exit');
    const link = await opened;
    assert.deepEqual(await exited, [0]);
    await link.close();
  });
});
