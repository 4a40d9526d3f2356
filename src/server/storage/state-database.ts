import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { openingFile } from './data-folder-error.ts';
import { migrate } from './migrate.ts';
import { foundation } from './migrations/state-0001-foundation.ts';
import { agentServer } from './migrations/state-0002-agent-server.ts';
import { controlPlane } from './migrations/state-0003-control-plane.ts';
import { threadCounts } from './migrations/state-0004-thread-counts.ts';
import { workspaceSecrets } from './migrations/state-0005-workspace-secrets.ts';
import { checkpointOrder } from './migrations/state-0006-checkpoint-order.ts';
import { providerWorkspace } from './migrations/state-0007-provider-workspace.ts';
import { cutOffRuns } from './migrations/state-0008-cut-off-runs.ts';
import { NodeSqliteDialect, openSqlite } from './node-sqlite-dialect.ts';
import { checkpointWhenQuiet } from './quiet-checkpoint.ts';
import type { StateSchema } from './state-schema.ts';
import { stateStructure } from './state-structure.ts';
import { SyncDatabase } from './sync-database.ts';

/** `state.db` for plain functions, whose queries run at once. */
export type StateNow = SyncDatabase<StateSchema>;

/**
 * `state.db`, in two ways over one connection: Kysely's queries take turns and wait for each other, which costs a query
 * several times what SQLite does; what every run of a graph needs is done by plain functions.
 */
export class StateDatabase extends Kysely<StateSchema> {
  readonly #now: StateNow;

  constructor(sqlite: DatabaseSync) {
    super({ dialect: new NodeSqliteDialect(sqlite) });
    this.#now = new SyncDatabase(sqlite);
  }

  /** Calls a function immediately, or after the open transaction. */
  async now<Result>(work: (now: StateNow) => Result): Promise<Result> {
    // Whoever has the connection next has no transaction open yet.
    return this.#now.sqlite.isTransaction
      ? this.connection().execute(async () => work(this.#now))
      : work(this.#now);
  }

  /** The same in a transaction, which is rolled back if it throws. */
  commit<Result>(work: (transaction: StateNow) => Result): Promise<Result> {
    return this.now((now) => now.transaction(() => work(now)));
  }
}

/** Every migration of `state.db`, in order; a released one is never changed. */
export const stateMigrations = {
  '0001-foundation': foundation,
  '0002-agent-server': agentServer,
  '0003-control-plane': controlPlane,
  '0004-thread-counts': threadCounts,
  '0005-workspace-secrets': workspaceSecrets,
  '0006-checkpoint-order': checkpointOrder,
  '0007-provider-workspace': providerWorkspace,
  '0008-cut-off-runs': cutOffRuns,
};

/**
 * Opens `state.db` of a data folder at the newest schema.
 * @param version of this program.
 * @throws DataFolderError
 */
export function openStateDatabase(dataDir: string, version?: string): Promise<StateDatabase> {
  const file = path.join(dataDir, 'state.db');
  return openingFile(file, async () => {
    const database = openSqlite(file);
    // Pages that are written again and again between two checkpoints reach the file once (see `openTracesDatabase`).
    // The operating system keeps the file's pages as well, so that half of the usual copy of our own will do.
    database.exec('PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -8000');
    const db = new StateDatabase(database);
    await migrate(db, {
      migrations: stateMigrations,
      database,
      structure: stateStructure,
      name: 'state',
      backups: path.join(dataDir, 'backups'),
      version,
    });
    checkpointWhenQuiet(database);
    return db;
  });
}
