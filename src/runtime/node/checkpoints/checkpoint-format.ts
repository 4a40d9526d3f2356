import type { BaseCheckpointSaver } from '@langchain/langgraph';
import type { PendingWrite, SerializedValue } from '../../protocol/protocol.ts';

type Serializer = BaseCheckpointSaver['serde'];

/**
 * The text that LangGraph's serializer writes for `undefined`. For functions and symbols it writes an empty
 * text, which cannot be read back, so this text is stored instead.
 */
const UNDEFINED = '{"lc":2,"type":"undefined"}';

/**
 * Serializes with the user's own serializer. Strings, booleans, null and finite numbers are written
 * directly, with the same result. The function reads the value before it returns, not when the promise
 * resolves, so later changes to the value do not matter.
 */
export function serialize(serde: Serializer, value: unknown): Promise<SerializedValue> {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value)) {
    return Promise.resolve(jsonValue(JSON.stringify(value)));
  }
  return serde.dumpsTyped(value).then(([type, bytes]) =>
    type === 'json'
      ? jsonValue(new TextDecoder().decode(bytes) || UNDEFINED)
      : {
          type,
          encoding: 'base64',
          data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
        },
  );
}

export function jsonValue(data: string): SerializedValue {
  return { type: 'json', encoding: 'utf8', data };
}

/** The key that marks, in the JSON of LangGraph's serializer, values that plain JSON cannot represent. */
const SPECIAL = '"lc"';

/** The reverse of `serialize`; returns a new value at every call. */
export async function deserialize(serde: Serializer, value: SerializedValue): Promise<unknown> {
  if (value.type === 'json' && value.encoding === 'utf8') {
    return value.data.includes(SPECIAL) ? serde.loadsTyped('json', value.data) : JSON.parse(value.data);
  }
  const bytes = value.encoding === 'utf8' ? value.data : new Uint8Array(Buffer.from(value.data, 'base64'));
  return serde.loadsTyped(value.type, bytes);
}

/** Compares writes in the order in which LangGraph applies them: by task path, task and index. */
export function byTaskPath(a: PendingWrite, b: PendingWrite): number {
  return (
    compareCodePoints(a.task_path ?? '', b.task_path ?? '') ||
    compareCodePoints(a.task_id, b.task_id) ||
    a.index - b.index
  );
}

/**
 * Compares texts by code point, in the order of their UTF-8 bytes; JavaScript's `<` compares UTF-16 code
 * units.
 */
function compareCodePoints(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
