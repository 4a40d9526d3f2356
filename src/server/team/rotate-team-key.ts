import { setTimeout as pause } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { formatCount } from '../../process/format-count.ts';
import { isRecordedKey } from '../control-plane/secrets/key-check.ts';
import { reseal, resealLeft } from '../control-plane/secrets/reseal.ts';
import { SecretBox, SecretBoxError } from '../control-plane/secrets/secret-box.ts';
import { storeServerEvent } from '../identity/server-event.ts';
import type { KeyRotation } from '../key-rotation.ts';
import { crashPoint } from '../storage/crash-point.ts';
import type { StateSchema } from '../storage/state-schema.ts';
import { connectionOptions } from './postgres/connection-options.ts';
import { databaseProblem } from './postgres/database-problem.ts';
import { poolOf } from './postgres/pool.ts';
import { postgresDialect } from './postgres/postgres-dialect.ts';
import {
  deleteRetiringKey,
  type KeyNote,
  nameOfKey,
  readKeyNotes,
  readRetiringKey,
  storeRetiringKey,
} from './secrets-key-notes.ts';

/** The interval at which the servers' key records are read. A server uses the new key within a second. */
const LOOK_MS = 250;
/**
 * How long the servers may take to use the new key: a server whose main thread is blocked that long is considered
 * stuck.
 */
const PATIENCE_MS = 60_000;
/** How long a server may take to store secrets that it has already encrypted with the previous key. */
const UNDER_WAY_MS = 2_000;

type TeamRotation = Exclude<KeyRotation, 'folder'>;

/** The previous key and the new one. */
interface Keys {
  readonly from: Buffer;
  readonly to: Buffer;
}

/**
 * Encrypts all secrets of a team with another key, while no server is running, or while all running servers have both
 * keys. If the rotation is killed, it may be repeated: until it is complete, servers need both keys, and decrypt with
 * either.
 * @param tell receives a line about each step.
 * @throws SecretBoxError, DataFolderError
 */
export async function rotateTeamKey(
  { database, ...keys }: TeamRotation,
  tell: (line: string) => void,
): Promise<void> {
  const pool = poolOf(connectionOptions(database, 'agent-harbor rotate-secrets-key'));
  const db = new Kysely<StateSchema>({ dialect: postgresDialect(pool) });
  try {
    const { count, isNew } = await db.transaction().execute((transaction) => begin(transaction, keys));
    const isRetiring = (await readRetiringKey(db)) !== undefined;
    const left = isRetiring ? await end(db, keys, tell) : await sweep(db, keys);
    tell(
      isNew || count + left > 0
        ? `${formatCount(count + left, 'secret')} encrypted with the new key.`
        : 'All secrets are encrypted with AGENT_HARBOR_NEW_SECRETS_KEY already.',
    );
    tell(
      isRetiring
        ? 'Nothing needs the earlier key but earlier backups. Start the servers again, one after the other, with the new key alone in AGENT_HARBOR_SECRETS_KEY.'
        : 'Start the servers with it in AGENT_HARBOR_SECRETS_KEY. Earlier backups need the earlier key.',
    );
  } catch (error) {
    throw error instanceof SecretBoxError ? error : databaseProblem(error, database);
  } finally {
    await db.destroy();
  }
}

/**
 * Encrypts all stored secrets, and makes the new key the current one.
 * @returns how many secrets there were; `isNew` is false if the new key already was the current one.
 */
async function begin(db: Kysely<StateSchema>, keys: Keys): Promise<{ count: number; isNew: boolean }> {
  const { rows } = await sql<{ has: boolean }>`
    select to_regclass('settings') is not null and to_regclass('secret_sets') is not null as has`.execute(db);
  if (rows[0]?.has !== true)
    throw new SecretBoxError('The database is not one of a team: no server has used it yet.');
  // A server that starts in the meantime waits for this lock when it stores which keys it has.
  await sql`lock table settings in exclusive mode`.execute(db);
  const [from, to] = [SecretBox.ofKey(keys.from), SecretBox.ofKey(keys.to)];
  const servers = await findServers(db);
  const lacking = servers.filter((server) => !canRead(server, keys.to));
  if (lacking.length > 0)
    throw new SecretBoxError(
      `${lacking.length} of the ${formatCount(servers.length, 'server')} that use this database ${lacking.length === 1 ? 'does' : 'do'} not have the new key. Restart them one by one with the new key in AGENT_HARBOR_NEW_SECRETS_KEY, in addition to the current one, or stop all of them.`,
    );
  if ((await isRecordedKey(db, to)) === true) return { count: 0, isNew: false };
  const isKey = await isRecordedKey(db, from);
  if (isKey === undefined)
    throw new SecretBoxError('The database has no secrets: no platform has used it yet.');
  if (!isKey)
    throw new SecretBoxError(
      'AGENT_HARBOR_SECRETS_KEY is not the key that encrypts the secrets in this database. Set it to that key.',
    );
  const count = await reseal(db, from, to);
  if (servers.length > 0) await storeRetiringKey(db, keys.from);
  await storeRotation(db);
  crashPoint('key-stored');
  return { count, isNew: true };
}

/**
 * Waits until all servers encrypt with the new key, and re-encrypts what they stored with the previous key in the
 * meantime.
 * @returns how many secrets those were.
 */
async function end(db: Kysely<StateSchema>, keys: Keys, tell: (line: string) => void): Promise<number> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const servers = await findServers(db);
    const late = servers.filter((server) => !encryptsOnlyWith(server, keys.to));
    if (late.length === 0) {
      const verb = servers.length === 1 ? 'encrypts' : 'encrypt';
      tell(`${formatCount(servers.length, 'server')} ${verb} with the new key.`);
      break;
    }
    if (performance.now() > until)
      throw new SecretBoxError(
        `${late.length} of the ${formatCount(servers.length, 'server')} still ${late.length === 1 ? 'encrypts' : 'encrypt'} with the earlier key. Keep both keys on all servers, and run the same command again.`,
      );
    await pause(LOOK_MS);
  }
  crashPoint('key-used');
  let count = await sweep(db, keys);
  await pause(UNDER_WAY_MS);
  count += await sweep(db, keys);
  await deleteRetiringKey(db);
  return count;
}

/**
 * Encrypts with the new key the secrets that are still encrypted with the previous one, until none is found.
 * @returns how many there were.
 */
async function sweep(db: Kysely<StateSchema>, { from, to }: Keys): Promise<number> {
  const [previous, current] = [SecretBox.ofKey(from), SecretBox.ofKey(to)];
  let count = 0;
  for (;;) {
    const found = await resealLeft(db, previous, current);
    if (found === 0) return count;
    count += found;
  }
}

interface LiveServer {
  readonly note: KeyNote | undefined;
}

/** The servers that use the database; servers of an earlier version store nothing about their keys. */
async function findServers(db: Kysely<StateSchema>): Promise<readonly LiveServer[]> {
  const live = await sql<{ number: number }>`
    select number from nodes where expires_at > clock_timestamp()`.execute(db);
  const notes = await readKeyNotes(db);
  return live.rows.map(({ number }) => ({ note: notes.get(String(number)) }));
}

function canRead({ note }: LiveServer, key: Buffer): boolean {
  return note !== undefined && (usesNoKey(note) || note.reads.includes(nameOfKey(key)));
}

/** Whether a server encrypts with this key, or has no secrets to encrypt. */
function encryptsOnlyWith({ note }: LiveServer, key: Buffer): boolean {
  return note !== undefined && (usesNoKey(note) || note.writes === nameOfKey(key));
}

function usesNoKey(note: KeyNote): boolean {
  return note.reads.length === 0;
}

/** Records the rotation in the audit log, which databases of earlier versions do not have. */
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
  await storeServerEvent(db, organization.id, 'secrets-key.rotate');
}
