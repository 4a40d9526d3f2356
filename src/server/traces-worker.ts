// The entry point of the tracing threads: `write` stores and purges traces and maintains the full-text index,
// and `read` answers queries, so that neither waits for the other. For `traces.db`, `write` also answers
// queries while no `read` thread is running.
import { parentPort, workerData } from 'node:worker_threads';
import { IdleMemory } from '../process/idle-memory.ts';
import { purgingReads, purgingWrites } from './purging/operations.ts';
import { FolderBlobs } from './storage/folder-blobs.ts';
import type { Operations } from './traces-thread/bind-operations.ts';
import { bindOperations } from './traces-thread/bind-operations.ts';
import { LogMerging } from './traces-thread/log-merging.ts';
import { makeWriterContext } from './traces-thread/make-writer-context.ts';
import { nextWorkAt } from './traces-thread/next-work.ts';
import { ReaderLoop } from './traces-thread/reader-loop.ts';
import type { TeamTraces, TracesWorkerData } from './traces-thread/worker-data.ts';
import { packError, type ThreadNotice } from './traces-thread/worker-protocol.ts';
import { WriterLoop } from './traces-thread/writer-loop.ts';
import type { ReaderContext } from './tracing/context/reader-context.ts';
import { SignedLinks } from './tracing/context/signed-links.ts';
import type { WriterContext } from './tracing/context/writer-context.ts';
import { openTracesDatabase, openTracesReader } from './tracing/database/sqlite-traces.ts';
import type { TracesDatabase } from './tracing/database/traces-database.ts';
import { readOperations } from './tracing/operations/read-operations.ts';
import { writeOperations } from './tracing/operations/write-operations.ts';

/** The interval at which a team's server looks for work that other servers have left. */
const POLL_MS = 1_000;

const port = parentPort;
if (port === null) throw new Error('Start this file as a worker thread.');
const data = workerData as TracesWorkerData;
const { dataDir } = data;
/** Frees memory after loading, which leaves much garbage. It waits for a pause, because it also drops compiled code. */
const memory = new IdleMemory();
try {
  if (data.role === 'write') {
    const { db, blobs, background, objects } = await memory.after(openWriter(data));
    // The operations for objects are loaded before the thread can receive any request.
    const loose = data.hasObjects ? await openLooseObjects(db) : undefined;
    const context = makeWriterContext({
      db,
      blobs,
      dataDir,
      send: (notice) => port.postMessage(notice),
      nudge: () => loop.nudge(),
    });
    for (const { project, folder } of data.prices ?? []) context.prices.useFolder(project, folder);
    context.background.push(...background);
    if (loose !== undefined) context.background.push(loose.work);
    const operations = bindOperations({ ...writeOperations, ...purgingWrites, nextWorkAt }, context);
    const reads = data.database === undefined ? readsOf({ db, blobs, linkSecret: data.linkSecret }) : {};
    const loop = new WriterLoop(port, { ...operations, ...loose?.operations }, context, { reads, objects });
    loop.start();
    if (data.database !== undefined) pollForWork(context, loop);
  } else {
    const { objects, ask, ...opened } = await memory.after(openReader(data));
    new ReaderLoop(port, readsOf(opened), opened.db, { objects, ask }).start();
  }
  port.on('message', () => memory.putOff());
  port.postMessage({ ready: true });
} catch (error) {
  port.postMessage({ failed: packError(error) });
  port.close();
}

/** The operations that only read, bound to their context. */
function readsOf({
  linkSecret,
  ...opened
}: Pick<ReaderContext, 'db' | 'blobs'> & { readonly linkSecret: string }): Operations {
  const context = { ...opened, links: new SignedLinks(linkSecret, data.baseUrl) };
  return bindOperations({ ...readOperations, ...purgingReads }, context);
}

async function openWriter({ dataDir, database, version }: TracesWorkerData & { role: 'write' }) {
  if (database !== undefined) return { ...(await openTeam(database, 'write')), background: [] };
  const db = await openTracesDatabase(dataDir, version);
  const background = [new LogMerging(db.sqlite)];
  return { db, blobs: new FolderBlobs(dataDir), background, objects: undefined };
}

async function openReader({ dataDir, database, linkSecret }: TracesWorkerData & { role: 'read' }) {
  if (database !== undefined) return openTeam(database, 'read');
  const blobs = new FolderBlobs(dataDir);
  return { db: openTracesReader(dataDir), blobs, objects: undefined, ask: undefined, linkSecret };
}

/** Loads what only a team's server needs. */
async function openTeam(database: TeamTraces, role: 'write' | 'read') {
  const { openTeamTraces } = await import('./team/traces/open-team-traces.ts');
  return openTeamTraces(database, role, (replica) =>
    port?.postMessage({ notice: { replica } } satisfies ThreadNotice),
  );
}

/** Makes this server remove objects that no payload uses. */
async function openLooseObjects(db: TracesDatabase) {
  const { UnreferencedObjects, objectOperations } = await import('./team/traces/unreferenced-objects.ts');
  const work = new UnreferencedObjects(db, (loose) =>
    port?.postMessage({ notice: { loose } } satisfies ThreadNotice),
  );
  return { work, operations: bindOperations(objectOperations, { db, loose: work }) };
}

/**
 * Checks periodically for work, because another server may have queued a purge, or the server that does maintenance may
 * have stopped.
 */
function pollForWork(context: WriterContext, loop: WriterLoop): void {
  setInterval(() => {
    context.wakePurger();
    loop.nudge();
  }, POLL_MS).unref();
}
