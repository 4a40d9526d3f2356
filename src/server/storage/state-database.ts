import path from 'node:path';
import { Kysely } from 'kysely';
import { orDamaged } from './damaged-database.ts';
import { migrate } from './migrate.ts';
import { foundation } from './migrations/state-0001-foundation.ts';
import { agentServer } from './migrations/state-0002-agent-server.ts';
import { controlPlane } from './migrations/state-0003-control-plane.ts';
import { threadCounts } from './migrations/state-0004-thread-counts.ts';
import { workspaceSecrets } from './migrations/state-0005-workspace-secrets.ts';
import { NodeSqliteDialect, openSqlite } from './node-sqlite-dialect.ts';
import type { StateSchema } from './state-schema.ts';

export type StateDatabase = Kysely<StateSchema>;

/** Every migration of `state.db`, in order; a released one is never changed. */
const migrations = {
  '0001-foundation': foundation,
  '0002-agent-server': agentServer,
  '0003-control-plane': controlPlane,
  '0004-thread-counts': threadCounts,
  '0005-workspace-secrets': workspaceSecrets,
};

/**
 * Opens `state.db` of a data folder at the newest schema.
 * @throws MigrationError, DamagedDatabaseError, or SQLite's error when the file cannot be opened.
 */
export function openStateDatabase(dataDir: string): Promise<StateDatabase> {
  const file = path.join(dataDir, 'state.db');
  return orDamaged(file, async () => {
    const database = openSqlite(file);
    // Pages that are written again and again between two checkpoints reach the file once (see `openTracesDatabase`).
    database.exec('PRAGMA wal_autocheckpoint = 8000');
    const db = new Kysely<StateSchema>({ dialect: new NodeSqliteDialect(database) });
    await migrate(db, { migrations, database, name: 'state', backups: path.join(dataDir, 'backups') });
    return db;
  });
}
