import { type Kysely, sql } from 'kysely';
import { formatCount } from '../process/format-count.ts';
import { makeNextKey, openFolderBox, settleNextKey, useNextKey } from './control-plane/secrets/folder-key.ts';
import { isKeyOf } from './control-plane/secrets/key-check.ts';
import { reseal } from './control-plane/secrets/reseal.ts';
import { SecretBox, SecretBoxError } from './control-plane/secrets/secret-box.ts';
import { DataFolder } from './data-folder.ts';
import type { KeyRotation } from './key-rotation.ts';
import { crashPoint } from './storage/crash-point.ts';
import { openStateDatabase } from './storage/state-database.ts';
import type { StateSchema } from './storage/state-schema.ts';

/**
 * Encrypts all secrets of a data folder with a new key, or those of a team with the given one. If it is killed, it
 * has done all or nothing, and may be repeated.
 * @param tell gets a line about each step.
 * @throws SecretBoxError, DataFolderError, DataFolderLockedError
 */
export async function rotateSecretsKey(
  rotation: KeyRotation,
  dataDir: string,
  version: string,
  tell: (line: string) => void,
): Promise<void> {
  if (rotation === 'folder') await rotateInFolder(dataDir, version, tell);
  else await rotateInTeam(rotation, tell);
}

async function rotateInFolder(dataDir: string, version: string, tell: (line: string) => void): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const folder = await DataFolder.open(dataDir);
  cleanup.defer(() => folder.close());
  const db = await openStateDatabase(folder.dir, version);
  cleanup.defer(() => db.destroy());
  await settleNextKey(folder.dir, async (box) => (await isKeyOf(db, box)) === true);
  const from = await openFolderBox(folder.dir);
  const to = await makeNextKey(folder.dir);
  crashPoint('key-made');
  // The old key is deleted only when the disk has the secrets encrypted with the new one.
  await sql`pragma synchronous = full`.execute(db);
  const count = await db.transaction().execute((transaction) => reseal(transaction, from, to));
  crashPoint('key-stored');
  await useNextKey(folder.dir);
  tell(
    `${formatCount(count, 'secret')} encrypted with a new key, which is in ${folder.dir}. Earlier backups need the earlier key.`,
  );
}

async function rotateInTeam(
  { database, from, to }: Exclude<KeyRotation, 'folder'>,
  tell: (line: string) => void,
): Promise<void> {
  const [{ Kysely }, { connectionOptions }, { databaseProblem }, { poolOf }, { postgresDialect }] =
    await Promise.all([
      import('kysely'),
      import('./team/postgres/connection-options.ts'),
      import('./team/postgres/database-problem.ts'),
      import('./team/postgres/pool.ts'),
      import('./team/postgres/postgres-dialect.ts'),
    ]);
  const pool = poolOf(connectionOptions(database, 'agent-harbor rotate-secrets-key'));
  await using db = disposable(new Kysely<StateSchema>({ dialect: postgresDialect(pool) }));
  const count = await db.value
    .transaction()
    .execute((transaction) => resealOfTeam(transaction, SecretBox.ofKey(from), SecretBox.ofKey(to)))
    .catch((error: unknown) => {
      throw error instanceof SecretBoxError ? error : databaseProblem(error, database);
    });
  tell(
    count === undefined
      ? 'All secrets are encrypted with AGENT_HARBOR_NEW_SECRETS_KEY already.'
      : `${formatCount(count, 'secret')} encrypted with the new key.`,
  );
  tell('Start the servers with it in AGENT_HARBOR_SECRETS_KEY. Earlier backups need the earlier key.');
}

/** @returns undefined when it was already done. */
async function resealOfTeam(
  db: Kysely<StateSchema>,
  from: SecretBox,
  to: SecretBox,
): Promise<number | undefined> {
  const { rows } = await sql<{ has: boolean }>`
    select to_regclass('settings') is not null and to_regclass('secret_sets') is not null as has`.execute(db);
  if (rows[0]?.has !== true)
    throw new SecretBoxError('The database is not one of a team: no server has used it yet.');
  // A server that starts meanwhile waits for this when it checks its key.
  await sql`lock table settings in exclusive mode`.execute(db);
  const live = await sql`select from nodes where expires_at > clock_timestamp()`.execute(db);
  if (live.rows.length > 0)
    throw new SecretBoxError('Servers use this database, with the current key. Stop them first.');
  if ((await isKeyOf(db, to)) === true) return undefined;
  const isKey = await isKeyOf(db, from);
  if (isKey === undefined)
    throw new SecretBoxError('The database has no secrets: no platform has used it yet.');
  if (!isKey)
    throw new SecretBoxError(
      'AGENT_HARBOR_SECRETS_KEY is not the key that secrets in this database were stored with. Set it to that key.',
    );
  const count = await reseal(db, from, to);
  await storeRotation(db);
  crashPoint('key-stored');
  return count;
}

/** Servers of an earlier version have no audit log. */
async function storeRotation(db: Kysely<StateSchema>): Promise<void> {
  const { rows } = await sql<{ has: boolean }>`select to_regclass('audit_events') is not null as has`.execute(
    db,
  );
  const organization = await db
    .selectFrom('organizations')
    .select('id')
    .orderBy('created_at')
    .executeTakeFirst();
  if (rows[0]?.has !== true || organization === undefined) return;
  const { storeServerEvent } = await import('./identity/server-event.ts');
  await storeServerEvent(db, organization.id, 'secrets-key.rotate');
}

function disposable<Schema>(value: Kysely<Schema>): AsyncDisposable & { readonly value: Kysely<Schema> } {
  return { value, [Symbol.asyncDispose]: () => value.destroy() };
}
