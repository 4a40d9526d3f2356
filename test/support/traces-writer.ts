import { FolderBlobs } from '../../src/server/storage/folder-blobs.ts';
import { PostgresBlobs } from '../../src/server/team/traces/postgres-blobs.ts';
import { openPostgresTraces } from '../../src/server/team/traces/postgres-traces.ts';
import { makeWriterContext } from '../../src/server/traces-thread/make-writer-context.ts';
import type { WriterContext } from '../../src/server/tracing/context/writer-context.ts';
import { openTracesDatabase } from '../../src/server/tracing/database/sqlite-traces.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { tracesDatabaseFor } from './traces-database.ts';

/**
 * The parts of the thread that stores traces, driven by the test: in `traces.db`, or in PostgreSQL if tests
 * run with `on-postgres.ts`.
 */
export async function openTracesWriter(): Promise<{ context: WriterContext } & AsyncDisposable> {
  const folder = await temporaryFolder();
  const opened = await openDatabase(folder.path);
  const context = makeWriterContext({ ...opened, dataDir: folder.path, send: () => {}, nudge: () => {} });
  return {
    context,
    async [Symbol.asyncDispose]() {
      for (const work of context.background) work.stop?.();
      opened.db.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function openDatabase(dataDir: string) {
  const team = await tracesDatabaseFor(dataDir);
  if (team === undefined) return { db: await openTracesDatabase(dataDir), blobs: new FolderBlobs(dataDir) };
  const db = await openPostgresTraces({ url: team.url, thread: new URL(team.link) }, 'write');
  return { db, blobs: new PostgresBlobs(db) };
}
