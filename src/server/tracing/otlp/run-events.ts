import { isObject } from '../../../process/objects.ts';
import { formatTime } from '../database/time.ts';
import type { Attributes } from './attributes.ts';
import { inputsOf, outputsOf } from './span-payloads.ts';

/** An event as runs store it. */
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
 * Adds events to a run that was created from a span, and reads the run's inputs and outputs again, because events
 * may contain them.
 * @param fields `events`, and `extra` with the span's attributes.
 * @returns the changed fields; undefined when the run already had all of these events.
 */
export function withEvents(
  fields: Readonly<Record<string, unknown>>,
  added: readonly RunEvent[],
): Record<string, unknown> | undefined {
  const before: readonly unknown[] = Array.isArray(fields.events) ? fields.events : [];
  const known = new Set(before.map((event) => JSON.stringify(event)));
  const fresh = added.filter((event) => !known.has(JSON.stringify(event)));
  if (fresh.length === 0) return undefined;
  const events = [...before, ...fresh].sort((a, b) => compare(timeOf(a), timeOf(b)));
  const { extra } = fields;
  const attributes = isObject(extra) && isObject(extra.otel) ? extra.otel : {};
  const payloadsWith = (all: readonly unknown[]) => {
    const spanEvents = all.filter(isRunEvent).map(({ name, kwargs }) => ({ name, attributes: kwargs }));
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

/** The time of an event, which may have another shape; empty without one. */
function timeOf(event: unknown): string {
  return isObject(event) && typeof event.time === 'string' ? event.time : '';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
