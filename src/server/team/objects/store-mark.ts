import { randomUUID } from 'node:crypto';
import { type ClaimedStore, ObjectsError } from './objects.ts';

/** The name of the object that marks a store: no other object can have it. */
export const MARK = '.agent-harbor-objects';

/** A store location, and its mark. */
export interface MarkedPlace {
  readonly name: string;
  /** Undefined when it has no mark; empty if an earlier version has marked it. */
  readMark(): Promise<string | undefined>;
  /** Marks it, unless it has been marked since. */
  makeMark(id: string): Promise<void>;
  /** Marks a location that an earlier version has marked without an id. */
  replaceMark(id: string): Promise<void>;
}

/**
 * The id of the store in a location, which is marked if necessary, unless it is known to have a mark.
 * @param claimed the expected store; otherwise any is accepted.
 * @throws ObjectsError when the location has another store, or none, for example when a network drive is not
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
  // Another database may have marked it at the same time.
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
