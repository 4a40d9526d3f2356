/**
 * Writes the schema that the migrations of `state.db` produce, to create new databases in one step. With --check, it
 * only says whether the file is up to date.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate } from '../src/server/storage/migrate.ts';
import { openSqlite } from '../src/server/storage/open-sqlite.ts';
import { SqliteState } from '../src/server/storage/sqlite-state.ts';
import { stateMigrations } from '../src/server/storage/state-migrations.ts';

const target = new URL('../src/server/storage/state-structure.ts', import.meta.url);
const folder = await mkdtemp(path.join(tmpdir(), 'structure-'));
const database = openSqlite(path.join(folder, 'state.db'));
await migrate(new SqliteState(database), {
  migrations: stateMigrations,
  database,
  name: 'state',
  dataDir: folder,
});
const statements = database
  .prepare(
    "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY rowid",
  )
  .all()
  .map(({ sql }) => `${sql};`);
const names = database.prepare('SELECT name FROM migrations ORDER BY name').all();
const applied = names.map(({ name }) => `('${name}', strftime('%Y-%m-%dT%H:%M:%fZ'))`);
database.close();
await rm(folder, { recursive: true });

const text = `// Made from the migrations by scripts/generate-structure.ts; run \`npm run generate\` when there is a new one.

/** Gives an empty database the structure that the migrations of \`state.db\` lead to. */
export const stateStructure = \`
${statements.join('\n')}
INSERT INTO migrations (name, timestamp) VALUES
  ${applied.join(',\n  ')};
INSERT INTO migrations_lock (id, is_locked) VALUES ('migration_lock', 0);
\`;
`;

if (!process.argv.includes('--check')) {
  await writeFile(target, text);
} else if ((await readFile(target, 'utf8')) !== text) {
  console.error(
    'src/server/storage/state-structure.ts is older than the migrations: run `npm run generate`.',
  );
  process.exitCode = 1;
}
