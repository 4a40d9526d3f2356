import { validate as isUuid, v5 as uuidv5 } from 'uuid';
import { JsonObject } from '../../../../contract/fields.ts';
import { readStoredObject } from '../../../storage/stored-json.ts';

/** The field of a run's metadata with the ID of its context, if it differs from the thread's ID. */
const CONTEXT_KEY = 'a2a_context';
/** UUIDv5 namespace for context IDs that are not UUIDs. */
const CONTEXT_NAMESPACE = '5f0f3ee6-6f6d-4f0b-9a5e-5f3b9a8f4c11';

/** The thread of a context. */
export function threadOf(contextId: string): string {
  return isUuid(contextId) ? contextId.toLowerCase() : uuidv5(contextId, CONTEXT_NAMESPACE);
}

/** Metadata of runs in a context, from which `contextOf` reads its ID. */
export function contextMetadata(contextId: string): JsonObject {
  return threadOf(contextId) === contextId ? {} : { [CONTEXT_KEY]: contextId };
}

/** The ID of a run's context, as its client gave it. */
export function contextOf(run: {
  readonly thread_id: string;
  readonly metadata: string | JsonObject;
}): string {
  const { thread_id, metadata } = run;
  const { [CONTEXT_KEY]: given } =
    typeof metadata === 'string' ? JsonObject.parse(readStoredObject(metadata)) : metadata;
  // The copy of a thread has the metadata of the original.
  return typeof given === 'string' && threadOf(given) === thread_id ? given : thread_id;
}
