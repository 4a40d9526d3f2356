import type { Client } from '../client/client.ts';
import type { CallOptions } from '../client/transport.ts';
import { isObject, objectAt } from '../process/objects.ts';
import type { ExportedRun } from './exported-run.ts';
import { attributesOf, INTERNAL_SPAN, nanosOf, type OtlpSpan, STATUS_ERROR } from './otlp-values.ts';
import { runAttributes } from './run-attributes.ts';

const PAGE_SIZE = 100;
const FIELDS = [
  'id',
  'name',
  'run_type',
  'status',
  'start_time',
  'end_time',
  'parent_run_id',
  'dotted_order',
  'trace_id',
  'inputs',
  'outputs',
  'error',
  'extra',
  'events',
  'tags',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_token_details',
  'completion_token_details',
];

/**
 * Writes a trace as OTLP in JSON, in pieces. Spans that came over OpenTelemetry keep their IDs, attributes,
 * events, scope and resource. The others get LangSmith's attributes, from which other platforms make the same
 * runs, and those of the GenAI conventions. A trace without runs becomes a document without spans.
 * @throws RequestError
 */
export async function* exportTrace(
  client: Pick<Client, 'tracing'>,
  traceId: string,
  options: CallOptions = {},
): AsyncGenerator<string, void, undefined> {
  const runs = await readRuns(client, traceId, options);
  const spanIds = new Map(runs.map((run) => [run.id, spanIdOf(run)]));
  let separator = '{"resourceSpans":[';
  for (const run of runs) {
    yield `${separator}${JSON.stringify(resourceSpansOf(run, spanIds))}`;
    separator = ',\n';
  }
  yield `${runs.length === 0 ? separator : ''}]}\n`;
}

async function readRuns(
  { tracing }: Pick<Client, 'tracing'>,
  trace: string,
  options: CallOptions,
): Promise<ExportedRun[]> {
  const found: ExportedRun[] = [];
  let cursor: string | null | undefined;
  do {
    const body = { trace, limit: PAGE_SIZE, order: 'asc', select: FIELDS, cursor: cursor ?? null } as const;
    const { runs, cursors } = await tracing.runs.query({ body }, options);
    for (const run of runs) {
      const { id, dotted_order } = run;
      // Both were selected; the type says that any field may be missing.
      if (id !== undefined && dotted_order !== undefined) found.push({ ...run, id, dotted_order });
    }
    cursor = cursors.next;
  } while (cursor);
  return found.sort((a, b) => (a.dotted_order < b.dotted_order ? -1 : 1));
}

function resourceSpansOf(run: ExportedRun, spanIds: ReadonlyMap<string, string>): object {
  const extra = run.extra ?? {};
  const otel = isObject(extra.otel) ? extra.otel : undefined;
  const parent = run.parent_run_id ? spanIds.get(run.parent_run_id) : undefined;
  const end = nanosOf(run.end_time);
  const span: OtlpSpan = {
    traceId: traceIdOf(run),
    spanId: spanIdOf(run),
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name: run.name ?? 'span',
    kind: INTERNAL_SPAN,
    // OTLP requires a start; 0 stands for an unknown time.
    startTimeUnixNano: nanosOf(run.start_time) ?? '0',
    ...(end === undefined ? {} : { endTimeUnixNano: end }),
    attributes: attributesOf(otel ?? runAttributes(run)),
    ...eventsOf(run.events),
    ...(run.error ? { status: { code: STATUS_ERROR, message: run.error } } : {}),
  };
  const resource = otel === undefined ? {} : objectAt(extra, 'otel_resource');
  const scope = otel === undefined ? { name: 'langsmith' } : objectAt(extra, 'otel_scope');
  return { resource: { attributes: attributesOf(resource) }, scopeSpans: [{ scope, spans: [span] }] };
}

/**
 * The original trace ID, or for runs that did not come over OpenTelemetry, the digits of their trace's UUID,
 * which the first part of a dotted order ends with.
 */
function traceIdOf({ extra, trace_id, dotted_order }: ExportedRun): string {
  const own = objectAt(extra ?? {}, 'metadata').otel_trace_id;
  if (typeof own === 'string' && isObject(extra?.otel)) return own.toLowerCase();
  return (trace_id ?? dotted_order.split('.', 1)[0]?.slice(-36) ?? '').replaceAll('-', '');
}

/** The original span ID, or for runs that did not come over OpenTelemetry, the second half of their UUID. */
function spanIdOf({ id, extra }: ExportedRun): string {
  const own = objectAt(extra ?? {}, 'metadata').otel_span_id;
  if (typeof own === 'string' && isObject(extra?.otel)) return own.toLowerCase();
  return id.replaceAll('-', '').slice(16);
}

function eventsOf(events: unknown): Pick<OtlpSpan, 'events'> {
  if (!Array.isArray(events) || events.length === 0) return {};
  return {
    events: events.filter(isObject).map(({ name, time, kwargs }) => {
      const at = typeof time === 'string' ? nanosOf(time) : undefined;
      return {
        name: String(name),
        ...(at === undefined ? {} : { timeUnixNano: at }),
        attributes: attributesOf(isObject(kwargs) ? kwargs : {}),
      };
    }),
  };
}
