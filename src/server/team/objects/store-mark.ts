import { randomUUID } from 'node:crypto';
import { type ClaimedStore, ObjectsError } from './objects.ts';

/** The name of the object that marks a store. No other object can have this name. */
export const MARK = '.agent-harbor-objects';

/** A store location, and its mark. */
export interface MarkedPlace {
  readonly name: string;
  /** Undefined if the location has no mark; empty if an earlier version has marked it. */
  readMark(): Promise<string | undefined>;
  /** Marks the location, unless it has been marked since. */
  makeMark(id: string): Promise<void>;
  /** Marks a location that an earlier version has marked without an id. */
  replaceMark(id: string): Promise<void>;
}

/**
 * The id of the store in a location. A location without a mark is marked, unless it should already have one.
 * @param claimed the expected store; otherwise any is accepted.
 * @throws ObjectsError if the location has a different store, or none, for example because a network drive is not
 * mounted.
 */
export async function identifyStore(place: MarkedPlace, claimed: ClaimedStore | undefined): Promise<string> {
  const { id, isNew } = claimed ?? { id: randomUUID(), isNew: true };
  const found = await place.readMark();
  if (found && (claimed === undefined || found === id)) return found;
  if (!isNew) throw otherStore(place.name, id);
  if (found) throw storeOfAnother(place.name);
  if (found === undefined) await place.makeMark(id);
  else await place.replaceMark(id);
  // Another database may have marked the location at the same time.
  const marked = await place.readMark();
  if (marked === undefined) throw withoutMark(place.name);
  if (marked !== id) throw storeOfAnother(place.name);
  return id;
}

/** The refusal of an unexpected store. */
export function otherStore(name: string, expected: string): ObjectsError {
  return new ObjectsError(
    `${name} is not the object store of this database: it has no ${MARK} with the text ${expected}. ` +
      'Mount its drive, or pass its place with --objects. If the store was moved there as a whole, or that file was lost, create the file again.',
  );
}

function withoutMark(name: string): ObjectsError {
  return new ObjectsError(
    `${name} has no ${MARK} although it was just stored there. Another server may have stored one at the same moment. ` +
      'Start this server again. If this persists, check that the store keeps its files.',
  );
}

function storeOfAnother(name: string): ObjectsError {
  return new ObjectsError(
    `${name} is the object store of another database: it has a ${MARK} that does not match this database. ` +
      'Pass another place with --objects. If no other database uses this place any more, delete that file first.',
  );
}
