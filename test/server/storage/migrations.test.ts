import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { stateMigrations } from '../../../src/server/storage/state-database.ts';
import { stateStructure } from '../../../src/server/storage/state-structure.ts';
import { tracesMigrations } from '../../../src/server/tracing/database/sqlite-traces.ts';

const source = new URL('../../../src/server/', import.meta.url);

describe('the list of migrations', () => {
  for (const [database, folder, migrations] of [
    ['state', 'storage/migrations/', stateMigrations],
    ['traces', 'tracing/database/migrations/', tracesMigrations],
  ] as const) {
    it(`of ${database}.db has every file of its folder, in order`, async () => {
      const files = await readdir(new URL(folder, source));
      assert.deepEqual(
        Object.keys(migrations).map((name) => `${database}-${name}.ts`),
        files.sort(),
      );
    });
  }

  it('of state.db is complete in a new database, which is not migrated (else: npm run generate)', () => {
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
