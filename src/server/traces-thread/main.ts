import { parentPort, workerData } from 'node:worker_threads';
import { QuietMemory } from '../../process/quiet-memory.ts';
import { purgingReads, purgingWrites } from '../purging/operations.ts';
import { Blobs } from '../storage/blobs.ts';
import { openTracesDatabase, openTracesReader } from '../tracing/database/sqlite-traces.ts';
import { readOperations } from '../tracing/read-operations.ts';
import { SignedLinks } from '../tracing/signed-links.ts';
import { writeOperations } from '../tracing/write-operations.ts';
import { bindOperations } from './bind-operations.ts';
import { ReaderLoop, WriterLoop } from './loop.ts';
import { makeWriterContext } from './make-writer-context.ts';
import { packError } from './worker-protocol.ts';

/**
 * The entry of both threads of `traces.db`: `write` stores, purges and keeps the full-text index, `read` answers
 * queries, so that neither waits for the other.
 */
export type TracesWorkerData =
  | { readonly role: 'write'; readonly dataDir: string; readonly version: string | undefined }
  | {
      readonly role: 'read';
      readonly dataDir: string;
      /** For links to attachments. */
      readonly linkSecret: string;
      readonly baseUrl: string;
    };

const port = parentPort;
if (port === null) throw new Error('Start this file as a worker thread.');
const data = workerData as TracesWorkerData;
const { dataDir } = data;
try {
  if (data.role === 'write') {
    const db = await new QuietMemory().after(openTracesDatabase(dataDir, data.version));
    const context = makeWriterContext({
      db,
      dataDir,
      send: (notice) => port.postMessage(notice),
      nudge: () => loop.nudge(),
    });
    const loop = new WriterLoop(
      port,
      bindOperations({ ...writeOperations, ...purgingWrites }, context),
      context,
    );
    loop.start();
  } else {
    const db = await new QuietMemory().after(openTracesReader(dataDir));
    const context = { db, blobs: new Blobs(dataDir), links: new SignedLinks(data.linkSecret, data.baseUrl) };
    new ReaderLoop(port, bindOperations({ ...readOperations, ...purgingReads }, context), db).start();
  }
  port.postMessage({ ready: true });
} catch (error) {
  port.postMessage({ failed: packError(error) });
  port.close();
}
