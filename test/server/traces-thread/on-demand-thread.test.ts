import assert from 'node:assert/strict';
import { OnDemandThread } from '../../../src/server/traces-thread/on-demand-thread.ts';
import { WorkerThread } from '../../../src/server/traces-thread/worker-thread.ts';
import { serverBundles } from '../../support/server-bundles.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/wait.ts';

describe('the thread that reads traces', function () {
  this.timeout(30_000);

  it('ends when nothing has been asked for a while, and answers again later', async () => {
    await using folder = await temporaryFolder();
    const dataDir = folder.path;
    const { tracesWorker: worker } = await serverBundles();
    const writer = new WorkerThread(worker, { role: 'write', dataDir });
    await writer.ready;
    let starts = 0;
    const reader = new OnDemandThread(() => {
      starts++;
      const data = { role: 'read', dataDir, linkSecret: 'secret', baseUrl: 'http://127.0.0.1' };
      return new WorkerThread(worker, data);
    }, 1);
    const asked = () =>
      reader
        .call('getSession', { workspaceId: 'w', sessionId: 'none' })
        .catch((error: Error) => error.message);
    assert.equal(reader.isRunning, false);
    const answers = await Promise.all([asked(), asked(), asked()]);
    assert.equal(answers[0], "Project 'none' not found.");
    assert.equal(starts, 1, 'calls at the same time have one thread');
    await eventually('the thread has ended', async () => !reader.isRunning);
    assert.deepEqual(await asked(), answers[0]);
    assert.equal(starts, 2);
    const last = asked();
    await reader.close();
    assert.deepEqual(await last, answers[0], 'what was asked before it closed is answered');
    assert.equal(reader.isRunning, false);
    await writer.close();
  });
});
