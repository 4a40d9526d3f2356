import assert from 'node:assert/strict';
import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { FolderBlobs } from '../../../src/server/storage/blobs.ts';
import { makeWriterContext } from '../../../src/server/traces-thread/make-writer-context.ts';
import { WriterLoop } from '../../../src/server/traces-thread/writer-loop.ts';
import { openTracesDatabase } from '../../../src/server/tracing/database/sqlite-traces.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/wait.ts';

describe('the thread that stores traces', () => {
  it('survives a failure of background work, reports it, and pauses before a retry', async () => {
    await using folder = await temporaryFolder();
    const db = await openTracesDatabase(folder.path);
    const { port1, port2 } = new MessageChannel();
    const told: unknown[] = [];
    port2.on('message', (message) => told.push(message));
    const context = makeWriterContext({
      db,
      blobs: new FolderBlobs(folder.path),
      dataDir: folder.path,
      send: (notice) => port1.postMessage(notice),
      nudge: () => loop.nudge(),
    });
    let tries = 0;
    context.background.unshift({
      advance: () => {
        tries++;
        throw new Error('There is no room.');
      },
      dueAt: () => 0,
    });
    const loop = new WriterLoop(port1, { next: (number: number) => number + 1 }, context);
    loop.start();
    await eventually('it is told of', () =>
      told.some((message) => JSON.stringify(message).includes('There is no room.')),
    );
    for (let id = 0; id < 3; id++) {
      port2.postMessage({ id, operation: 'next', argument: id });
      await eventually('the request is answered', () =>
        told.some((message) => JSON.stringify(message) === JSON.stringify({ id, result: id + 1 })),
      );
    }
    assert.equal(tries, 1);
    const closed = once(port2, 'close');
    port2.postMessage('close');
    await closed;
  });

  it('ends when told to, even if what came with it cannot be committed', async () => {
    await using folder = await temporaryFolder();
    const db = await openTracesDatabase(folder.path);
    const { port1, port2 } = new MessageChannel();
    const told: unknown[] = [];
    port2.on('message', (message) => told.push(message));
    const context = makeWriterContext({
      db,
      blobs: new FolderBlobs(folder.path),
      dataDir: folder.path,
      send: (notice) => port1.postMessage(notice),
      nudge: () => loop.nudge(),
    });
    // A row without its parent is refused only when the transaction commits, as a full disk refuses it.
    db.statement('PRAGMA foreign_keys = ON').run();
    db.statement('CREATE TABLE parents (id INTEGER PRIMARY KEY)').run();
    db.statement('CREATE TABLE children (parent REFERENCES parents DEFERRABLE INITIALLY DEFERRED)').run();
    const fail = () => db.statement('INSERT INTO children VALUES (1)').run().changes;
    const loop = new WriterLoop(port1, { fail }, context);
    loop.start();
    const closed = once(port2, 'close');
    port2.postMessage({ id: 1, operation: 'fail', argument: {} });
    port2.postMessage({ id: 2, operation: 'fail', argument: {} });
    port2.postMessage('close');
    await closed;
    assert.match(JSON.stringify(told), /"id":1,"error".*"id":2,"error"/);
  });
});
