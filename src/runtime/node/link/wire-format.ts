/**
 * Serializes values for clients: messages as plain dictionaries (`{type: "ai", content, …}`), and other
 * values (maps, sets, errors, bytes, big integers, cycles) as the nearest JSON.
 */

import { messageOf } from '../../../process/message-of.ts';

/** JSON text of any value. Never throws: a value that cannot be serialized becomes an error object. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(toWire(value)) ?? 'null';
  } catch (error) {
    return JSON.stringify({ error: 'NotSerializable', message: messageOf(error) });
  }
}

/** The value as `JSON.stringify` can write it. Plain data is returned unchanged, not copied. */
export function toWire(value: unknown): unknown {
  return wire(value, []);
}

/** A LangChain message of any copy of `@langchain/core`. */
export interface Message {
  getType?(): string;
  _getType(): string;
  lc_kwargs: Record<string, unknown>;
  id?: string;
}

export function isMessage(value: unknown): value is Message {
  return (
    typeof value === 'object' &&
    value !== null &&
    '_getType' in value &&
    typeof value._getType === 'function' &&
    'lc_kwargs' in value &&
    typeof value.lc_kwargs === 'object'
  );
}

/** Whether a message is a chunk of a streamed message. */
export function isMessageChunk(message: Message): boolean {
  return 'concat' in message && typeof message.concat === 'function';
}

function wire(value: unknown, ancestors: object[]): unknown {
  if (typeof value === 'bigint') return toNumberOrText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (ancestors.includes(value)) return '[Circular]';
  ancestors.push(value);
  const result = wireObject(value, ancestors);
  ancestors.pop();
  return result;
}

function wireObject(value: object, ancestors: object[]): unknown {
  if (Array.isArray(value)) return wireArray(value, ancestors);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) {
    return hasToJson(value) ? wireJson(value, ancestors) : wireRecord(value, ancestors);
  }
  if (isMessage(value)) return wireMessage(value, ancestors);
  if (value instanceof Map) return wireMap(value, ancestors);
  if (value instanceof Set) return wireArray([...value], ancestors);
  if (value instanceof Error) return { error: value.name, message: value.message };
  if (value instanceof RegExp) return String(value);
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('base64');
  if (ArrayBuffer.isView(value)) return wireView(value, ancestors);
  if (value instanceof Date) return value;
  if (hasToJson(value)) return wireJson(value, ancestors);
  return wireRecord(value, ancestors);
}

/** Converts the result of `toJSON`, which may be the object itself. */
function wireJson(value: { toJSON(): unknown }, ancestors: object[]): unknown {
  const json = value.toJSON();
  return json === value ? wireRecord(value, ancestors) : wire(json, ancestors);
}

/** Converts an array; it is copied only if something in it has to change. */
function wireArray(items: readonly unknown[], ancestors: object[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const wired = wire(item, ancestors);
    if (wired === item) continue;
    copy ??= [...items];
    copy[index] = wired;
  }
  return copy ?? items;
}

function wireRecord(record: object, ancestors: object[]): object {
  let copy: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(record)) {
    const wired = wire(value, ancestors);
    if (wired === value) continue;
    copy ??= { ...record };
    copy[key] = wired;
  }
  return copy ?? record;
}

/**
 * Converts a message to the arguments of its constructor with their current values, like LangChain's own serialization.
 */
function wireMessage(message: Message, ancestors: object[]): object {
  const fields: Record<string, unknown> = { type: message._getType() };
  for (const key of Object.keys(message.lc_kwargs)) {
    const value: unknown = key in message ? Reflect.get(message, key) : message.lc_kwargs[key];
    if (value !== undefined) fields[key] = wire(value, ancestors);
  }
  if (message.id !== undefined) fields.id = message.id;
  return fields;
}

function wireMap(map: Map<unknown, unknown>, ancestors: object[]): unknown {
  const entries = [...map];
  const named = entries.every(([key]) => typeof key === 'string' || typeof key === 'number');
  return named
    ? wireRecord(Object.fromEntries(entries.map(([key, value]) => [String(key), value])), ancestors)
    : wireArray(entries, ancestors);
}

/** Converts bytes to base64, as Python's servers do, and other typed arrays to lists of numbers. */
function wireView(view: ArrayBufferView, ancestors: object[]): unknown {
  if (view instanceof Uint8Array || view instanceof DataView) {
    return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64');
  }
  return isIterable(view) ? wireArray([...view], ancestors) : null;
}

function toNumberOrText(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
