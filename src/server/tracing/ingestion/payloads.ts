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

const NOTHING = Buffer.from('null');

/**
 * Reads and validates the optional parts of a submission, before any of it is stored.
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
    payloads.push(
      checkPayload(kind, { name: kind, contentType: '', offset: 0, length: bytes.length }, bytes, value),
    );
  }
  for (const [kind, part] of submission.payloads) {
    const bytes = bytesOf(part);
    if (bytes.equals(NOTHING)) continue;
    payloads.push(checkPayload(kind, part, bytes, parseJson(bytes, `part '${part.name}'`)));
  }
  return payloads;
}

function checkPayload(kind: RunPayload, part: Part, bytes: Uint8Array, value: unknown): Payload {
  const isRight =
    kind === 'events' ? Array.isArray(value) : kind === 'error' ? typeof value === 'string' : isObject(value);
  if (isRight) return { kind, part, bytes, value };
  const wanted = kind === 'events' ? 'an array' : kind === 'error' ? 'a string' : 'an object';
  throw new RunRefused(`${kind} must be ${wanted} (part '${part.name}')`, { type: `${kind}_type` });
}
