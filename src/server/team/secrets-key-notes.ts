import { createHmac } from 'node:crypto';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { jsonOrUndefined } from '../../process/json-or-undefined.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { StateSchema } from '../storage/state-schema.ts';

/** The prefix of the settings in which servers record their keys; it is followed by the server's name. */
const SERVER_PREFIX = 'secrets-keys:';
/** The setting with the name of the retiring key: the previous key, while secrets may still be encrypted with it. */
const RETIRING = 'secrets.leaving';

/** The names of a server's keys. */
const KeyNote = z.object({
  /** Empty for a server without secrets. */
  reads: z.array(z.string()),
  writes: z.string().nullable(),
});
export type KeyNote = z.output<typeof KeyNote>;
const NamedKey = z.string();

/** A name for a key that does not reveal the key. */
export function nameOfKey(key: Buffer): string {
  return createHmac('sha256', key).update('agent-harbor secrets key').digest('base64url').slice(0, 22);
}

/** Stores which keys a server has. */
export async function storeKeyNote(db: Kysely<StateSchema>, node: string, note: KeyNote): Promise<void> {
  await storeSetting(db, SERVER_PREFIX + node, note);
}

/** Reads the records of all servers' keys, by server. A record that is not valid counts as missing. */
export async function readKeyNotes(db: Kysely<StateSchema>): Promise<ReadonlyMap<string, KeyNote>> {
  const rows = await db
    .selectFrom('settings')
    .selectAll()
    .where('name', '>', SERVER_PREFIX)
    .where('name', '<', `${SERVER_PREFIX}~`)
    .execute();
  return new Map(
    rows.flatMap(({ name, value }) => {
      const note = KeyNote.safeParse(jsonOrUndefined(value));
      return note.success ? [[name.slice(SERVER_PREFIX.length), note.data] as const] : [];
    }),
  );
}

/** Deletes the records of servers that no longer exist. */
export async function deleteStaleKeyNotes(db: StateDatabase): Promise<void> {
  // Read before the servers, because a server that starts in between already exists when it stores its record.
  const noted = await readKeyNotes(db);
  const servers = await db.listServers();
  const stale = [...noted.keys()].filter((node) => !servers.has(node));
  if (stale.length === 0) return;
  await db
    .deleteFrom('settings')
    .where(
      'name',
      'in',
      stale.map((node) => SERVER_PREFIX + node),
    )
    .execute();
}

/** Reads the name of the retiring key; undefined if no rotation is in progress. */
export async function readRetiringKey(db: Kysely<StateSchema>): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', RETIRING).executeTakeFirst();
  return row === undefined ? undefined : NamedKey.safeParse(jsonOrUndefined(row.value)).data;
}

export async function storeRetiringKey(db: Kysely<StateSchema>, key: Buffer): Promise<void> {
  await storeSetting(db, RETIRING, nameOfKey(key));
}

export async function deleteRetiringKey(db: Kysely<StateSchema>): Promise<void> {
  await db.deleteFrom('settings').where('name', '=', RETIRING).execute();
}

async function storeSetting(db: Kysely<StateSchema>, name: string, value: unknown): Promise<void> {
  const row = { value: JSON.stringify(value) };
  await db
    .insertInto('settings')
    .values({ name, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute();
}
