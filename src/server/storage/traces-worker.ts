import { parentPort, workerData } from 'node:worker_threads';
import { makeWriterContext } from '../tracing/make-writer-context.ts';
import { readOperations } from '../tracing/read-operations.ts';
import { writeOperations } from '../tracing/write-operations.ts';
import { Blobs } from './blobs.ts';
import { openTracesDatabase } from './traces-database.ts';
import { ReaderLoop, WriterLoop } from './worker-loop.ts';
import { packError } from './worker-protocol.ts';

/**
 * The thread that owns `traces.db`. There are two of it: `write` stores, purges and keeps the full-text index, and
 * `read` answers queries, so that neither waits for the other.
 */
export interface TracesWorkerData {
  readonly role: 'write' | 'read';
  readonly dataDir: string;
}

const port = parentPort;
if (port === null) throw new Error('traces-worker runs as a worker thread only.');
const { role, dataDir } = workerData as TracesWorkerData;
try {
  const db = await openTracesDatabase(dataDir);
  if (role === 'write') {
    const context = makeWriterContext({
      db,
      dataDir,
      send: (notice) => port.postMessage(notice),
      nudge: () => loop.nudge(),
    });
    context.blobs.clearStaging();
    const loop = new WriterLoop(port, writeOperations(context), context);
    loop.start();
  } else {
    new ReaderLoop(port, readOperations({ db, blobs: new Blobs(dataDir) }), db).start();
  }
  port.postMessage({ ready: true });
} catch (error) {
  port.postMessage({ failed: packError(error) });
  port.close();
}
