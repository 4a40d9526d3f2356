import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { stateMigrations } from '../../../src/server/storage/state-migrations.ts';
import { stateStructure } from '../../../src/server/storage/state-structure.ts';
import { migrations as postgresStateMigrations } from '../../../src/server/team/postgres/postgres-state.ts';
import { postgresTracesMigrations } from '../../../src/server/team/traces/traces-tables.ts';
import { tracesMigrations } from '../../../src/server/tracing/database/sqlite-traces.ts';

const source = new URL('../../../src/server/', import.meta.url);

describe('the list of migrations', () => {
  for (const [database, folder, prefix, migrations] of [
    ['state.db', 'storage/migrations/', 'state-', stateMigrations],
    ['traces.db', 'tracing/database/migrations/', 'traces-', tracesMigrations],
    ['the state in PostgreSQL', 'team/postgres/migrations/', '', postgresStateMigrations],
    ['the traces in PostgreSQL', 'team/traces/migrations/', '', postgresTracesMigrations],
  ] as const) {
    it(`of ${database} has every file of its folder, in order`, async () => {
      const files = await readdir(new URL(folder, source));
      assert.deepEqual(
        Object.keys(migrations).map((name) => `${prefix}${name}.ts`),
        files.sort(),
      );
    });
  }

  it('of state.db is complete in a new database, which is not migrated (if this fails: npm run generate)', () => {
    const database = new DatabaseSync(':memory:');
    database.exec(stateStructure);
    const applied = database.prepare('SELECT name FROM migrations ORDER BY name').all();
    database.close();
    assert.deepEqual(
      applied.map(({ name }) => name),
      Object.keys(stateMigrations),
    );
  });
});
