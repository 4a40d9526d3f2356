import { validate as isUuid, v5 as uuidv5 } from 'uuid';
import { JsonObject } from '../../../../contract/fields.ts';
import { readStoredObject } from '../../../storage/stored-json.ts';

/** The field of a run's metadata that has the id of its context, if that differs from the thread's id. */
const CONTEXT_KEY = 'a2a_context';
/** The UUIDv5 namespace for context ids that are not UUIDs. */
const CONTEXT_NAMESPACE = '5f0f3ee6-6f6d-4f0b-9a5e-5f3b9a8f4c11';

/** The id of a context's thread. */
export function threadOf(contextId: string): string {
  return isUuid(contextId) ? contextId.toLowerCase() : uuidv5(contextId, CONTEXT_NAMESPACE);
}

/** Metadata of runs in a context, from which `contextOf` reads the context's ID. */
export function contextMetadata(contextId: string): JsonObject {
  return threadOf(contextId) === contextId ? {} : { [CONTEXT_KEY]: contextId };
}

/** The id of a run's context, as its client sent it. */
export function contextOf(run: {
  readonly thread_id: string;
  readonly metadata: string | JsonObject;
}): string {
  const { thread_id, metadata } = run;
  const { [CONTEXT_KEY]: stored } =
    typeof metadata === 'string' ? JsonObject.parse(readStoredObject(metadata)) : metadata;
  // The copy of a thread has the metadata of the original, but is another context.
  return typeof stored === 'string' && threadOf(stored) === thread_id ? stored : thread_id;
}
