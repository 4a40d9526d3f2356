import path from 'node:path';
import { type Objects, ObjectsError } from './objects.ts';

/**
 * Opens the store that a URL names: `s3://bucket/prefix`, or the absolute path of a folder that all servers have.
 * @throws ObjectsError when it cannot be used.
 */
export async function openObjects(place: string, environment: NodeJS.ProcessEnv): Promise<Objects> {
  const objects = await makeObjects(place, environment);
  // What is wrong with it is said now, and not by the first deployment.
  await objects.list('builds/');
  return objects;
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
  return FolderObjects.open(place);
}
