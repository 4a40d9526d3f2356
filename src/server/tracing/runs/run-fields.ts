import { RunFields, RunPayload, type RunType, type SpanStatus } from '../../../contract/tracing/runs.ts';
import { isObject } from '../../../process/objects.ts';
import { DAY_MICROS, nowMicros, parseTime } from '../database/time.ts';
import { checkDottedOrder, parentIdIn, startOf } from './dotted-order.ts';
import { parseJson } from './json-text.ts';
import type { Operation } from './parts.ts';
import { RunRefused } from './refusal.ts';

/** The allowed clock skew. Traces further in the future would stay at the top of every list. */
const MAX_SKEW_MICROS = DAY_MICROS;

/** The validated main part of a run, with times in microseconds. Missing fields are `undefined`. */
export interface CheckedRun {
  readonly id: string;
  readonly traceId: string;
  readonly dottedOrder: string;
  readonly parentId: string | undefined;
  readonly name: string | undefined;
  readonly runType: RunType | undefined;
  readonly startTime: number;
  readonly endTime: number | undefined;
  readonly status: SpanStatus | undefined;
  readonly firstTokenTime: number | undefined;
  readonly tags: readonly string[] | undefined;
  readonly referenceExampleId: string | undefined;
  readonly sessionName: string | undefined;
  readonly sessionId: string | undefined;
  /** The payloads that the main part contains, which need no parts of their own. */
  readonly inline: ReadonlyMap<RunPayload, unknown>;
}

/** Parses the main part of a run. @param part the name of the part, for errors. @throws RunRefused */
export function parseMain(bytes: Uint8Array, runId: string, part: string): RunFields {
  const value = parseJson(bytes, `part '${part}'`);
  if (!isObject(value))
    throw new RunRefused(`part '${part}' must be a JSON object with the fields of the run`);
  const parsed = RunFields.safeParse(
    typeof value.id === 'string' ? value : { ...value, id: value.id ?? runId },
  );
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new RunRefused(`run ${runId}: ${issue?.path.join('.')}: ${issue?.message}`, {
      type: issue?.code ?? 'value_error',
    });
  }
  if (parsed.data.id !== runId) {
    throw new RunRefused(
      `part '${part}' contains run ${parsed.data.id}: the part name must contain the ID of its run`,
    );
  }
  return parsed.data;
}

/**
 * Validates a run's fields against each other. A run without a start time gets the one in its dotted_order.
 * @throws RunRefused
 */
export function checkRun(fields: RunFields, operation: Operation): CheckedRun {
  const { id } = fields;
  const traceId = fields.trace_id ?? undefined;
  const dottedOrder = fields.dotted_order ?? undefined;
  if (traceId === undefined)
    throw new RunRefused(`trace_id is required for run_id:${id}`, { type: 'missing' });
  if (dottedOrder === undefined || dottedOrder === '') {
    throw new RunRefused(`dotted_order is required for run_id:${id}`, { type: 'missing' });
  }
  // Updates from older clients leave out the parent, but their dotted_order still contains it.
  const parentId = fields.parent_run_id ?? (operation === 'patch' ? parentIdIn(dottedOrder) : undefined);
  checkDottedOrder({ id, traceId, dottedOrder, parentId });
  const orderTime = startOf(dottedOrder);
  const startTime = parseTimeField(fields.start_time, 'start_time', id) ?? orderTime;
  if (startTime === undefined)
    throw new RunRefused(`invalid 'dotted_order': not a valid time, for run_id:${id}`);
  const endTime = parseTimeField(fields.end_time, 'end_time', id);
  const firstTokenTime = parseTimeField(fields.first_token_time, 'first_token_time', id);
  checkTimeRange(startTime, 'start_time', id);
  checkTimeRange(endTime, 'end_time', id);
  checkTimeRange(firstTokenTime, 'first_token_time', id);
  checkTimeRange(orderTime, 'dotted_order', id);
  return {
    id,
    traceId,
    dottedOrder,
    parentId,
    name: fields.name ?? undefined,
    runType: fields.run_type ?? undefined,
    startTime,
    endTime,
    status: statusOf(fields.status),
    firstTokenTime,
    tags: fields.tags ?? undefined,
    referenceExampleId: fields.reference_example_id ?? undefined,
    sessionName: fields.session_name ?? undefined,
    sessionId: fields.session_id ?? undefined,
    inline: inlinePayloads(fields),
  };
}

function inlinePayloads(fields: RunFields): Map<RunPayload, unknown> {
  const inline = new Map<RunPayload, unknown>();
  for (const kind of RunPayload.options) {
    const value = fields[kind];
    if (value !== undefined && value !== null) inline.set(kind, value);
  }
  return inline;
}

function parseTimeField(
  value: string | number | null | undefined,
  field: string,
  id: string,
): number | undefined {
  if (value === undefined || value === null) return undefined;
  const micros = parseTime(value);
  if (micros !== undefined) return micros;
  throw new RunRefused(
    `${field} '${value}' is neither ISO 8601 nor milliseconds since 1970, for run_id:${id}`,
    { type: 'datetime' },
  );
}

/** @throws RunRefused for a time before 1970, or in the future beyond the allowed clock skew. */
function checkTimeRange(micros: number | undefined, field: string, id: string): void {
  if (micros === undefined) return;
  if (micros > nowMicros() + MAX_SKEW_MICROS) {
    throw new RunRefused(
      `${field} is more than a day in the future, for run_id:${id}: check the sender's clock`,
    );
  }
  if (micros < 0) throw new RunRefused(`${field} is before 1970, for run_id:${id}`);
}

/** Other statuses, which a client may invent, are left out: then the error and the end decide. */
function statusOf(status: string | null | undefined): SpanStatus | undefined {
  return status === 'pending' || status === 'success' || status === 'error' ? status : undefined;
}
