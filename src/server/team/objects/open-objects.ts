import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Kysely } from 'kysely';
import type { StateSchema } from '../../storage/state-schema.ts';
import { type ClaimedStore, type Objects, ObjectsError } from './objects.ts';

/** The setting with the id of a database's store. */
const STORE = 'objects.store';
/** The prefix of the ID until the store certainly has the mark. */
const UNMARKED = 'unmarked ';

/**
 * Opens the store of a database. A database must always use the store that was first opened for it. The store
 * of another database is refused, because objects that one database deletes would be missing in the other.
 * @throws ObjectsError if the store cannot be used, or is a different one.
 */
export async function openObjectsOf(
  db: Kysely<StateSchema>,
  place: string,
  environment: NodeJS.ProcessEnv,
): Promise<Objects> {
  const known = await claimStore(db);
  if (!known.isNew) return openObjects(place, environment, known);
  return db.transaction().execute(async (transaction) => {
    const setting = transaction.updateTable('settings').where('name', '=', STORE);
    // Servers that start together for the first time wait here for one of them, because all must use the same
    // store.
    await setting.set(({ ref }) => ({ value: ref('value') })).execute();
    const claimed = await readClaim(transaction);
    const objects = await openObjects(place, environment, claimed);
    await setting.set({ value: claimed.id }).execute();
    return objects;
  });
}

/**
 * Opens the store that a URL names: `s3://bucket/prefix`, or the absolute path of a folder that all servers share.
 * @param claimed the expected store; otherwise any is accepted.
 * @throws ObjectsError when it cannot be used.
 */
export async function openObjects(
  place: string,
  environment: NodeJS.ProcessEnv,
  claimed?: ClaimedStore,
): Promise<Objects> {
  const objects = await makeObjects(place, environment);
  await objects.identify(claimed);
  // This reports problems with the store now, and not only at the first deployment.
  await objects.list('builds/');
  return objects;
}

/**
 * Claims a store. The id is stored in the database before the store is marked with it, so that the next start can
 * continue if a server is killed in between.
 */
async function claimStore(db: Kysely<StateSchema>): Promise<ClaimedStore> {
  await db
    .insertInto('settings')
    .values({ name: STORE, value: `${UNMARKED}${randomUUID()}` })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return readClaim(db);
}

async function readClaim(db: Kysely<StateSchema>): Promise<ClaimedStore> {
  const { value } = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', STORE)
    .executeTakeFirstOrThrow();
  return value.startsWith(UNMARKED)
    ? { id: value.slice(UNMARKED.length), isNew: true }
    : { id: value, isNew: false };
}

async function makeObjects(place: string, environment: NodeJS.ProcessEnv): Promise<Objects> {
  if (place.startsWith('s3:')) {
    const [{ S3Objects }, { readS3Place }] = await Promise.all([
      import('./s3-objects.ts'),
      import('./s3-place.ts'),
    ]);
    return new S3Objects(readS3Place(place, environment));
  }
  if (!path.isAbsolute(place))
    throw new ObjectsError(
      `The object store must be s3://bucket/prefix or the absolute path of a folder, not '${place}'.`,
    );
  const { FolderObjects } = await import('./folder-objects.ts');
  return new FolderObjects(place);
}
