import type { RunPayload } from '../../../contract/tracing/runs.ts';
import { isObject } from '../../../process/objects.ts';
import { parseJson } from '../runs/json-text.ts';
import type { Part, Submission } from '../runs/parts.ts';
import { RunRefused } from '../runs/refusal.ts';
import type { CheckedRun } from '../runs/run-fields.ts';

/** A received payload: bytes to store, and their parsed value if the server needs it. */
export interface Payload {
  readonly kind: RunPayload;
  readonly part: Part;
  readonly bytes: Uint8Array;
  readonly value: unknown;
}

const JSON_NULL = Buffer.from('null');

interface PayloadType {
  readonly isValid: (value: unknown) => boolean;
  /** The type in words, for errors. */
  readonly type: string;
}

const OBJECT: PayloadType = { isValid: isObject, type: 'an object' };
/** The types of payloads that are not objects. */
const TYPES: { readonly [Kind in RunPayload]?: PayloadType } = {
  events: { isValid: Array.isArray, type: 'an array' },
  error: { isValid: (value) => typeof value === 'string', type: 'a string' },
};

/**
 * Reads and validates the payloads of a submission, before any of them is stored. Null means no payload.
 * @param run the main part, if any, which may contain payloads too.
 * @throws RunRefused for a payload that is not JSON, or has the wrong type.
 */
export function readPayloads(
  submission: Submission,
  run: CheckedRun | undefined,
  bytesOf: (part: Part) => Buffer,
): Payload[] {
  const payloads: Payload[] = [];
  for (const [kind, value] of run?.inline ?? []) {
    const bytes = Buffer.from(JSON.stringify(value));
    // These bytes are in no part of the request, so they are described as one that was not staged.
    const part = { name: kind, contentType: '', offset: 0, length: bytes.length };
    payloads.push(checkPayload(kind, part, bytes, value));
  }
  for (const [kind, part] of submission.payloads) {
    const bytes = bytesOf(part);
    if (bytes.equals(JSON_NULL)) continue;
    payloads.push(checkPayload(kind, part, bytes, parseJson(bytes, `part '${part.name}'`)));
  }
  return payloads;
}

function checkPayload(kind: RunPayload, part: Part, bytes: Uint8Array, value: unknown): Payload {
  const { isValid, type } = TYPES[kind] ?? OBJECT;
  if (isValid(value)) return { kind, part, bytes, value };
  throw new RunRefused(`${kind} must be ${type} (part '${part.name}')`, { type: `${kind}_type` });
}
