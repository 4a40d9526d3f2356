import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { eventually, patience } from '../../../support/wait.ts';

/** A run must end within it, including the start of its process. */
const TIME_LIMIT_MS = 4_000 * patience;

describe('a run that cannot succeed', function () {
  this.timeout(60_000);
  let served: ServedProject;
  const client = () => new Client({ apiUrl: served.url, apiKey: null });
  before(async () => {
    served = await serveProject({ runTimeLimitMs: TIME_LIMIT_MS });
  });
  after(() => served[Symbol.asyncDispose]());

  async function timedOut(graph: string): Promise<string> {
    const { runs, threads } = client();
    const { thread_id } = await threads.create();
    const { run_id } = await runs.create(thread_id, graph, { input: { ms: 15 * TIME_LIMIT_MS } });
    const ended = await eventually(
      'the run has ended',
      () => runs.get(thread_id, run_id),
      ({ status }) => status === 'timeout',
      30_000,
    );
    assert.equal(ended.status, 'timeout');
    assert.equal((await threads.get(thread_id)).status, 'error');
    return thread_id;
  }

  it('is canceled at its time limit, and says so', async () => {
    const threadId = await timedOut('slow');
    assert.deepEqual(await client().runs.wait(threadId, 'one_node', { input: { value: 1 } }), { value: 2 });
  });

  it('loses its runtime when it ignores the cancellation, which affects nothing else', async () => {
    const blocked = timedOut('blocking');
    const asked = performance.now();
    await client().threads.search();
    assert.ok(performance.now() - asked < 5_000 * patience, 'the server answers while a node blocks');
    await blocked;
    assert.deepEqual(await client().runs.wait(null, 'one_node', { input: { value: 1 } }), { value: 2 });
  });

  it('ends in an error that says how, when its process is lost at every attempt', async () => {
    const { runs, threads } = client();
    const { thread_id } = await threads.create();
    await assert.rejects(
      runs.wait(thread_id, 'dies', { input: {} }),
      // Windows has no signals.
      process.platform === 'win32'
        ? /RuntimeLostError.*lost 3 times at the same step of this run, and exited with code 1 the last time/
        : /RuntimeLostError.*lost 3 times at the same step of this run, and .*SIGKILL.* the last time/,
    );
    assert.equal((await threads.get(thread_id)).status, 'error');
    assert.deepEqual(await runs.wait(null, 'one_node', { input: { value: 1 } }), { value: 2 });
  });
});
