import { isObject } from '../../../process/objects.ts';
import { formatTime } from '../database/time.ts';
import type { Attributes } from './attributes.ts';
import { inputsOf, outputsOf } from './span-payloads.ts';

/** An event in the form of runs. */
export interface RunEvent {
  readonly name: string;
  readonly time?: string;
  readonly kwargs: Attributes;
}

/** Creates an event of a run. */
export function runEvent(event: {
  readonly name: string;
  readonly timeMicros?: number | null | undefined;
  readonly attributes: Attributes;
}): RunEvent {
  const { name, timeMicros, attributes } = event;
  return { name, ...(timeMicros ? { time: formatTime(timeMicros) } : {}), kwargs: attributes };
}

/**
 * Adds events to a run that was created from a span, and reads its inputs and outputs again if they contain any.
 * @param fields `events`, and `extra` with the span's attributes.
 * @returns the changed fields; undefined when the run already had all of these events.
 */
export function withEvents(
  fields: Readonly<Record<string, unknown>>,
  added: readonly RunEvent[],
): Record<string, unknown> | undefined {
  const before = Array.isArray(fields.events) ? fields.events.filter(isRunEvent) : [];
  const known = new Set(before.map((event) => JSON.stringify(event)));
  const fresh = added.filter((event) => !known.has(JSON.stringify(event)));
  if (fresh.length === 0) return undefined;
  const events = [...before, ...fresh].sort((a, b) => compare(a.time ?? '', b.time ?? ''));
  const { extra } = fields;
  const attributes = isObject(extra) && isObject(extra.otel) ? extra.otel : {};
  const payloadsWith = (all: readonly RunEvent[]) => {
    const spanEvents = all.map(({ name, kwargs }) => ({ name, attributes: kwargs }));
    return { inputs: inputsOf(attributes, spanEvents), outputs: outputsOf(attributes, spanEvents) };
  };
  const [earlier, now] = [payloadsWith(before), payloadsWith(events)];
  return {
    events,
    ...(JSON.stringify(earlier.inputs) === JSON.stringify(now.inputs) ? {} : { inputs: now.inputs }),
    ...(JSON.stringify(earlier.outputs) === JSON.stringify(now.outputs) ? {} : { outputs: now.outputs }),
  };
}

function isRunEvent(value: unknown): value is RunEvent {
  return isObject(value) && typeof value.name === 'string' && isObject(value.kwargs);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
