import { randomUUID } from 'node:crypto';
import { ObjectsError } from './objects.ts';

/** What a store is marked with: no name of an object can be it. */
export const MARK = '.agent-harbor-objects';

/** A place of objects, and what it is marked with. */
export interface MarkedPlace {
  readonly name: string;
  /** Undefined when it has no mark. */
  readMark(): Promise<string | undefined>;
  writeMark(id: string): Promise<void>;
}

/**
 * The id of the store in a place, which is marked with a new one unless it is expected to have one.
 * @throws ObjectsError when another store is there than was expected, or none, as when a network drive is not mounted.
 */
export async function identifyStore(place: MarkedPlace, expected: string | undefined): Promise<string> {
  const found = (await place.readMark()) || undefined;
  if (expected !== undefined && found !== expected) throw otherStore(place.name, expected);
  if (found !== undefined) return found;
  const id = randomUUID();
  await place.writeMark(id);
  return id;
}

/** The refusal of what is not the store that was expected. */
export function otherStore(name: string, expected: string): ObjectsError {
  return new ObjectsError(
    `${name} is not the object store of this database: it has no ${MARK} with the text ${expected}. ` +
      'Mount its drive, or pass its place with --objects; when all of the store was moved there, copy that file too.',
  );
}
