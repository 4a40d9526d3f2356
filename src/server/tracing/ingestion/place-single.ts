import type { RunFields } from '../../../contract/tracing/runs.ts';
import { nowMicros, parseTime } from '../database/time.ts';
import { formatSegment, traceIdIn } from '../runs/dotted-order.ts';
import { RunRefused } from '../runs/refusal.ts';
import type { RunDraft } from './run-draft.ts';

/**
 * Adds the trace_id and dotted_order that a request for a single run may leave out, based on the run itself, its
 * parent, or its stored row.
 * @throws RunRefused when the parent does not exist.
 */
export function placeSingle(
  fields: RunFields,
  existing: RunDraft | undefined,
  find: (runId: string) => RunDraft | undefined,
): RunFields {
  if (existing !== undefined) {
    return {
      ...fields,
      trace_id: fields.trace_id ?? existing.traceId,
      dotted_order: fields.dotted_order ?? existing.dottedOrder,
      parent_run_id: fields.parent_run_id ?? existing.parentId,
      start_time: fields.start_time ?? existing.startTime / 1000,
    };
  }
  if (fields.dotted_order !== undefined && fields.dotted_order !== null) {
    return { ...fields, trace_id: fields.trace_id ?? traceIdIn(fields.dotted_order) };
  }
  const startTime = fields.start_time ?? nowMicros() / 1000;
  // A start time that cannot be read is refused afterwards, when the run is checked.
  const own = formatSegment(parseTime(startTime) ?? nowMicros(), fields.id);
  if (fields.parent_run_id === undefined || fields.parent_run_id === null) {
    return { ...fields, start_time: startTime, trace_id: fields.trace_id ?? fields.id, dotted_order: own };
  }
  const parent = find(fields.parent_run_id);
  if (parent === undefined) {
    throw new RunRefused(
      `parent_run_id:${fields.parent_run_id} of run_id:${fields.id} does not exist: post the parent first, or send trace_id and dotted_order`,
      { type: 'missing_parent' },
    );
  }
  return {
    ...fields,
    start_time: startTime,
    trace_id: fields.trace_id ?? parent.traceId,
    dotted_order: `${parent.dottedOrder}.${own}`,
  };
}
