import { microsOf } from '../database/time.ts';
import { RunRefused } from './refusal.ts';

/** The position fields of a run. */
interface RunPosition {
  readonly id: string;
  readonly traceId: string;
  readonly dottedOrder: string;
  readonly parentId: string | undefined;
}

const SEGMENT = /\d{8}T\d{12}Z[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:\.|$)/y;
const START_LENGTH = '20261231T235959999999Z'.length;
const ID_LENGTH = 36;
const SEGMENT_LENGTH = START_LENGTH + ID_LENGTH;

/** Formats one segment of a dotted_order: the start in UTC to the microsecond, digits only, and the run's ID. */
export function formatSegment(startMicros: number, id: string): string {
  const milliseconds = Math.floor(startMicros / 1000);
  const rest = String(startMicros - milliseconds * 1000).padStart(3, '0');
  const iso = new Date(milliseconds).toISOString();
  return `${iso.slice(0, 4)}${iso.slice(5, 7)}${iso.slice(8, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}${iso.slice(20, 23)}${rest}Z${id}`;
}

/** The IDs of the runs in a checked dotted_order, from the root to the run itself. */
export function runIdsIn(dottedOrder: string): string[] {
  return dottedOrder.split('.').map((segment) => segment.slice(-ID_LENGTH));
}

/** The ID of the trace in a dotted_order, which is the ID of its root. */
export function traceIdIn(dottedOrder: string): string {
  return (dottedOrder.split('.', 1)[0] ?? '').slice(-ID_LENGTH);
}

/** The ID of the parent in a dotted_order; undefined for a root. */
export function parentIdIn(dottedOrder: string): string | undefined {
  return dottedOrder.split('.').at(-2)?.slice(-ID_LENGTH);
}

/**
 * The start time in the last segment of a checked dotted_order, in microseconds; undefined if there is no such time.
 */
export function startOf(dottedOrder: string): number | undefined {
  const start = dottedOrder.lastIndexOf('.') + 1;
  const number = (from: number, to: number) => {
    let value = 0;
    for (let at = start + from; at < start + to; at++) value = 10 * value + dottedOrder.charCodeAt(at) - 48;
    return value;
  };
  return microsOf({
    year: number(0, 4),
    month: number(4, 6),
    day: number(6, 8),
    hour: number(9, 11),
    minute: number(11, 13),
    second: number(13, 15),
    micros: number(15, 21),
  });
}

/**
 * Checks a dotted_order against the run's ID, trace and parent (docs/interface/tracing.md#ingestion).
 * @throws RunRefused naming the run and the rule.
 */
export function checkDottedOrder({ id, traceId, dottedOrder, parentId }: RunPosition): void {
  const refuse = (rule: string) =>
    new RunRefused(
      `${rule} for run_id:${id} trace_id:${traceId} dotted_order:${dottedOrder} parent_run_id:${parentId ?? 'None'}`,
      { type: 'dotted_order' },
    );
  const ids: string[] = [];
  for (let at = 0; at <= dottedOrder.length; at += SEGMENT_LENGTH + 1) {
    SEGMENT.lastIndex = at;
    if (!SEGMENT.test(dottedOrder)) {
      const [part] = dottedOrder.slice(at).split('.', 1);
      throw refuse(
        `invalid 'dotted_order': '${part}' is not a UTC start as YYYYMMDDTHHMMSSffffffZ followed by a run id`,
      );
    }
    ids.push(dottedOrder.slice(at + START_LENGTH, at + SEGMENT_LENGTH));
  }
  if (ids.at(-1) !== id) throw refuse('the last part of dotted_order must end with the id of the run');
  if (ids[0] !== traceId) throw refuse('trace_id does not match first part of dotted_order');
  if (parentId === undefined) {
    if (ids.length > 1) throw refuse('dotted_order must contain a single part for root runs');
    return;
  }
  if (ids.length < 2) throw refuse('dotted_order must contain at least two parts for child runs');
  if (ids.at(-2) !== parentId) throw refuse('parent_run_id does not match second last part of dotted_order');
  if (new Set(ids).size < ids.length) throw refuse('dotted_order must not name a run twice');
}
