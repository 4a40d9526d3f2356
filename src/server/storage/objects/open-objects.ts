import path from 'node:path';
import type { Kysely } from 'kysely';
import type { StateSchema } from '../state-schema.ts';
import { type Objects, ObjectsError } from './objects.ts';

/** The setting with the id of a database's store. */
const STORE = 'objects.store';

/**
 * Opens the store of a database, which is always the same: the first one that was opened for it.
 * @throws ObjectsError when it cannot be used, or is another one.
 */
export async function openObjectsOf(
  db: Kysely<StateSchema>,
  place: string,
  environment: NodeJS.ProcessEnv,
): Promise<Objects> {
  const known = await storeOf(db);
  if (known !== undefined) return openObjects(place, environment, known);
  return db.transaction().execute(async (transaction) => {
    // Servers that start at once for the first time wait here for one of them.
    await transaction
      .insertInto('settings')
      .values({ name: STORE, value: '' })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const expected = await storeOf(transaction);
    const objects = await openObjects(place, environment, expected);
    const value = await objects.identify(expected);
    await transaction.updateTable('settings').set({ value }).where('name', '=', STORE).execute();
    return objects;
  });
}

/**
 * Opens the store that a URL names: `s3://bucket/prefix`, or the absolute path of a folder that all servers have.
 * @param expected the id that it must have; any is right otherwise.
 * @throws ObjectsError when it cannot be used.
 */
export async function openObjects(
  place: string,
  environment: NodeJS.ProcessEnv,
  expected?: string,
): Promise<Objects> {
  const objects = await makeObjects(place, environment);
  await objects.identify(expected);
  // What is wrong with it is said now, and not by the first deployment.
  await objects.list('builds/');
  return objects;
}

async function storeOf(db: Kysely<StateSchema>): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', STORE).executeTakeFirst();
  return row?.value || undefined;
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
