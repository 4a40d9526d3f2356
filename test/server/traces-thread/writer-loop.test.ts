import assert from 'node:assert/strict';
import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { FolderBlobs } from '../../../src/server/storage/folder-blobs.ts';
import { makeWriterContext } from '../../../src/server/traces-thread/make-writer-context.ts';
import { WriterLoop } from '../../../src/server/traces-thread/writer-loop.ts';
import { openTracesDatabase } from '../../../src/server/tracing/database/sqlite-traces.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/wait.ts';

/** A loop on an empty database that is not started yet, the port to send it requests, and what it has answered. */
async function setUp(dataDir: string, operations: ConstructorParameters<typeof WriterLoop>[1]) {
  const db = await openTracesDatabase(dataDir);
  const { port1, port2: port } = new MessageChannel();
  const told: unknown[] = [];
  port.on('message', (message) => told.push(message));
  const context = makeWriterContext({
    db,
    blobs: new FolderBlobs(dataDir),
    dataDir,
    send: (notice) => port1.postMessage(notice),
    nudge: () => loop.nudge(),
  });
  const loop = new WriterLoop(port1, operations, context);
  return { db, context, loop, port, told };
}

describe('the thread that stores traces', () => {
  it('survives a failure of background work, reports it, and pauses before a retry', async () => {
    await using folder = await temporaryFolder();
    const { context, loop, port, told } = await setUp(folder.path, { next: (number: number) => number + 1 });
    let tries = 0;
    context.background.unshift({
      advance: () => {
        tries++;
        throw new Error('There is no room.');
      },
      dueAt: () => 0,
    });
    loop.start();
    await eventually('it is told of', () =>
      told.some((message) => JSON.stringify(message).includes('There is no room.')),
    );
    for (let id = 0; id < 3; id++) {
      port.postMessage({ id, operation: 'next', argument: id });
      await eventually('the request is answered', () =>
        told.some((message) => JSON.stringify(message) === JSON.stringify({ id, result: id + 1 })),
      );
    }
    assert.equal(tries, 1);
    const closed = once(port, 'close');
    port.postMessage('close');
    await closed;
  });

  it('ends when told to, even if what came with it cannot be committed', async () => {
    await using folder = await temporaryFolder();
    const { db, loop, port, told } = await setUp(folder.path, {
      fail: () => db.statement('INSERT INTO children VALUES (1)').run().changes,
    });
    // A row without its parent is refused only when the transaction commits, as a full disk refuses it.
    db.statement('PRAGMA foreign_keys = ON').run();
    db.statement('CREATE TABLE parents (id INTEGER PRIMARY KEY)').run();
    db.statement('CREATE TABLE children (parent REFERENCES parents DEFERRABLE INITIALLY DEFERRED)').run();
    loop.start();
    const closed = once(port, 'close');
    port.postMessage({ id: 1, operation: 'fail', argument: {} });
    port.postMessage({ id: 2, operation: 'fail', argument: {} });
    port.postMessage('close');
    await closed;
    assert.match(JSON.stringify(told), /"id":1,"error".*"id":2,"error"/);
  });
});
