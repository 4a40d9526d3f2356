import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { z } from 'zod';
import { type Access, RIGHTS, type Right } from '../../../src/contract/endpoint.ts';
import type { HttpError } from '../../../src/server/http/errors.ts';
import { readGrant } from '../../../src/server/http/grant.ts';
import { Identity } from '../../../src/server/identity/identity.ts';
import { migrate } from '../../../src/server/storage/migrate.ts';
import { openSqlite } from '../../../src/server/storage/open-sqlite.ts';
import { openStateDatabase, SqliteState } from '../../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../../src/server/storage/state-database.ts';
import { stateMigrations } from '../../../src/server/storage/state-migrations.ts';
import { migrations } from '../../../src/server/team/postgres/postgres-state.ts';
import { requirePostgres } from '../../support/postgres.ts';
import { openTeamState } from '../../support/team-state.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const Row = z.record(z.string(), z.unknown());
const Fixture = z.object({
  keys: z.record(z.string(), z.string()),
  workspace: z.string(),
  other: z.string(),
  deployment: z.string(),
  rows: z.record(z.string(), z.array(Row)),
});
const TABLES = [
  'organizations',
  'workspaces',
  'api_keys',
  'api_key_workspaces',
  'bearer_tokens',
  'deployments',
] as const;

/** Recorded from the server that created them. */
async function recorded() {
  const file = path.join(import.meta.dirname, '../../fixtures/earlier-keys.json');
  return Fixture.parse(JSON.parse(await readFile(file, 'utf8')));
}

async function fill(db: StateDatabase): Promise<void> {
  const { rows } = await recorded();
  for (const table of TABLES) {
    for (const row of rows[table] ?? []) {
      const valid = table === 'bearer_tokens' ? { ...row, expires_at: '2100-01-01T00:00:00.000Z' } : row;
      const columns = sql.join(Object.keys(valid).map((name) => sql.ref(name)));
      await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(valid))})`.execute(
        db,
      );
    }
  }
}

/** The rights of a key, tested one by one; undefined for a key that is refused everywhere. */
async function rightsOf(identity: Identity, key: string, workspace: string): Promise<Right[] | undefined> {
  const headers = { authorization: `Bearer ${key}`, 'x-tenant-id': workspace };
  const has: Right[] = [];
  for (const right of RIGHTS) {
    const access: Access = { credentials: 'api-key', right };
    const status = await identity.authenticate(headers, access).then(
      () => 200,
      (error: HttpError) => error.status,
    );
    if (status === 401) return undefined;
    if (status === 200) has.push(right);
  }
  return has;
}

async function check(db: StateDatabase): Promise<void> {
  const { keys, workspace, other, deployment } = await recorded();
  const identity = new Identity(db);
  const foreign = await db
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', 'Foreign')
    .executeTakeFirst();
  const everything = {
    owner: workspace,
    one: workspace,
    another: other,
    both: other,
    foreign: foreign?.id ?? '',
    token: workspace,
  };
  for (const [name, place] of Object.entries(everything))
    assert.deepEqual(await rightsOf(identity, keys[name] ?? '', place), [...RIGHTS], name);
  assert.deepEqual(await rightsOf(identity, keys.folders ?? '', workspace), [
    'trace',
    'run',
    'read',
    'write',
  ]);
  assert.equal(await rightsOf(identity, keys.revoked ?? '', workspace), undefined);
  const own = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('name', '=', `Deployment ${deployment}`)
    .executeTakeFirstOrThrow();
  assert.deepEqual(readGrant(own), {
    rights: ['trace', 'run', 'sign-in'],
    projects: ['support'],
    deploymentId: deployment,
  });
}

describe('keys of a version in which keys had no rights', function () {
  this.timeout(60_000);

  it('keep what they could do, except those that the server made for graphs', async () => {
    await using folder = await temporaryFolder();
    const database = openSqlite(path.join(folder.path, 'state.db'));
    const known = Object.fromEntries(Object.entries(stateMigrations).filter(([name]) => name < '0013'));
    const old = new SqliteState(database);
    await migrate(old, { migrations: known, database, name: 'state', dataDir: folder.path });
    await fill(old);
    await old.destroy();
    const db = await openStateDatabase(folder.path);
    await check(db);
    await db.destroy();
  });

  it('do so on PostgreSQL', async function () {
    await using postgres = await requirePostgres(this);
    const url = await postgres.createDatabase();
    const known = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0011'));
    const old = await openTeamState(url, { known });
    await fill(old);
    await old.destroy();
    const db = await openTeamState(url);
    await check(db);
    await db.destroy();
  });
});
