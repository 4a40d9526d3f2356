import type { Context } from 'mocha';
import { openPostgresTraces } from '../../src/server/team/traces/postgres-traces.ts';
import type { OpenTraceObjects } from '../../src/server/traces-thread/trace-object-store.ts';
import type { TeamTraces } from '../../src/server/traces-thread/worker-data.ts';
import type { Postgres } from './postgres.ts';
import { serverBundles } from './server-bundles.ts';
import { skip } from './skip.ts';
import { openTeamState } from './team-state.ts';

/** Where tests keep traces; in `traces.db` unless they are run with `on-postgres.ts`. */
let shared: Postgres | undefined;
let objects: OpenTraceObjects | undefined;
const byFolder = new Map<string, Promise<TeamTraces>>();

/** @param store where their large payloads are, if not in the database too. */
export function keepTracesIn(postgres: Postgres | undefined, store?: OpenTraceObjects): void {
  shared = postgres;
  objects = store;
}

export function traceObjectsForTests(): OpenTraceObjects | undefined {
  return objects;
}

/** For a test that looks into files of the data folder, which has none where traces are in PostgreSQL. */
export function requireTracesInFiles(test: Context): void {
  if (shared !== undefined) skip(test, 'it looks into traces.db');
}

/** The database of a data folder's traces, empty at first; undefined where they are in `traces.db`. */
export async function tracesDatabaseFor(dataDir: string): Promise<TeamTraces | undefined> {
  if (shared === undefined) return undefined;
  const database = byFolder.get(dataDir) ?? tracesDatabaseOf(shared);
  byFolder.set(dataDir, database);
  return database;
}

/**
 * A new database, with the tables of traces and the functions that they share with the state. It is migrated once:
 * every platform of a process gets a copy, which takes a tenth of a second.
 */
export async function tracesDatabaseOf(postgres: Postgres): Promise<TeamTraces> {
  return { url: await postgres.copyOf('traces', migrate), link: (await serverBundles()).tracesLink.href };
}

async function migrate(url: string): Promise<void> {
  const state = await openTeamState(url);
  await state.destroy();
  const traces = await openPostgresTraces({ url, thread: (await serverBundles()).tracesLink }, 'write');
  traces.close();
}
