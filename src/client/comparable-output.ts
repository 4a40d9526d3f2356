import { withPlainMessages } from './plain-messages.ts';

/** Fields of messages that differ in every run and are not part of the answer. */
const VARYING_FIELDS = new Set(['id', 'response_metadata', 'usage_metadata', 'lc_kwargs']);

/**
 * An output in a form that can be compared: plain messages, without the fields that differ in every run. Tool calls
 * keep their names and arguments.
 */
export function comparableOutput(value: unknown): unknown {
  const text = JSON.stringify(withPlainMessages(value));
  if (text === undefined) return value;
  return JSON.parse(text, (_, inner: unknown) => {
    if (!isMessage(inner)) return inner;
    const fields = Object.entries(inner).filter(
      ([name, field]) => !VARYING_FIELDS.has(name) && !isEmpty(field),
    );
    return Object.fromEntries(fields);
  });
}

/** Whether a value is a message as in states: `{type: "ai", content: …}`. Documents have other types. */
function isMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || !('content' in value) || !('type' in value))
    return false;
  return ['human', 'ai', 'system', 'tool', 'function', 'remove', 'chat'].includes(String(value.type));
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object') return false;
  return value === null || Object.keys(value).length === 0;
}
