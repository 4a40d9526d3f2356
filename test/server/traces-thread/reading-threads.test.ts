import assert from 'node:assert/strict';
import { ReadingThreads } from '../../../src/server/traces-thread/reading-threads.ts';
import { WorkerThread } from '../../../src/server/traces-thread/worker-thread.ts';
import { eventually } from '../../support/wait.ts';

/** Answers a query with a buffer when the buffer is set, like a slow query; answers others at once. */
const WORKER = new URL(
  `data:text/javascript,${encodeURIComponent(`
import { parentPort } from 'node:worker_threads';
parentPort.postMessage({ ready: true });
parentPort.on('message', (message) => {
  if (message === 'close') return parentPort.close();
  const { id, operation, argument } = message;
  if (operation === 'slow') Atomics.wait(new Int32Array(argument), 0, 0);
  if (operation === 'lacking' && message.objects === undefined) return parentPort.postMessage({ id, needs: ['object'] });
  parentPort.postMessage({ id, result: operation });
});
`)}`,
);

describe('the threads that read traces', function () {
  this.timeout(30_000);

  function makeThreads(count: number, fetch?: () => Promise<object>) {
    let starts = 0;
    const threads = new ReadingThreads({
      count,
      restMs: 60_000,
      start: (onFree) => {
        starts++;
        const supply = async () => {
          await fetch?.();
          return {};
        };
        const objects = fetch && { fetch: supply, release: () => {} };
        return new WorkerThread(WORKER, {}, { onFree, objects });
      },
    });
    return { threads, starts: () => starts };
  }
  /** A query that is answered when it is released. */
  function slowQuestion(threads: ReadingThreads) {
    const lock = new Int32Array(new SharedArrayBuffer(4));
    let isAnswered = false;
    const answer = threads.call('slow', lock.buffer).then((said) => {
      isAnswered = true;
      return said;
    });
    return {
      answer,
      isAnswered: () => isAnswered,
      letGo: () => {
        Atomics.store(lock, 0, 1);
        Atomics.notify(lock, 0);
      },
    };
  }

  it('answer other queries while one of them answers a slow one', async () => {
    const { threads, starts } = makeThreads(3);
    const [one, two] = [slowQuestion(threads), slowQuestion(threads)];
    const quick = Array.from({ length: 20 }, (_, at) => threads.call(`quick ${at}`, {}));
    assert.deepEqual(
      await Promise.all(quick),
      quick.map((_, at) => `quick ${at}`),
    );
    assert.deepEqual([one.isAnswered(), two.isAnswered(), starts()], [false, false, 3]);
    one.letGo();
    two.letGo();
    assert.deepEqual(await Promise.all([one.answer, two.answer]), ['slow', 'slow']);
    await threads.close();
    assert.equal(threads.isRunning, false);
  });

  it('are a single one as long as no query waits', async () => {
    const { threads, starts } = makeThreads(3);
    for (let at = 0; at < 20; at++) await threads.call('quick', {});
    assert.equal(starts(), 1);
    await threads.close();
  });

  it('answer other queries while one waits for the object store', async () => {
    const { promise: fetched, resolve } = Promise.withResolvers<object>();
    const { threads, starts } = makeThreads(1, () => fetched);
    const lacking = threads.call('lacking', {});
    assert.equal(await threads.call('quick', {}), 'quick');
    resolve({});
    assert.equal(await lacking, 'lacking');
    assert.equal(starts(), 1);
    await threads.close();
  });

  it('answer waiting queries before they end', async () => {
    const { threads } = makeThreads(1);
    const slow = slowQuestion(threads);
    const waiting = threads.call('quick', {});
    await eventually('it has been asked', async () => threads.isReady);
    const closing = threads.close();
    slow.letGo();
    assert.deepEqual(await Promise.all([slow.answer, waiting]), ['slow', 'quick']);
    await closing;
  });
});
