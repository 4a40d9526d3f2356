import { z } from 'zod';
import { isObject } from '../../../process/objects.ts';
import { AnyValue, Attributes, decodeRequest, Nanos, readPart, toAttributes, toPlain } from './decode.ts';
import { type RunEvent, runEvent } from './run-events.ts';

/** A log record in the form of an event of its span. The IDs are hexadecimal, as OpenTelemetry writes them. */
export interface SpanLog {
  readonly trace: string;
  readonly span: string;
  readonly event: RunEvent;
}

/**
 * The records in a request that belong to spans, and for each invalid record a sentence that says why it is invalid.
 */
interface DecodedLogs {
  readonly logs: readonly SpanLog[];
  readonly refused: readonly string[];
}

/** The names of events with the inputs and outputs of a model; other log records are not stored with their spans. */
const GENAI_EVENT = /^gen_ai\./;

const Export = z.object({
  resourceLogs: z
    .array(
      z.object({ scopeLogs: z.array(z.object({ logRecords: z.array(z.unknown()).nullish() })).nullish() }),
    )
    .nullish(),
});
const LogRecord = z.object({
  timeUnixNano: Nanos.nullish(),
  observedTimeUnixNano: Nanos.nullish(),
  eventName: z.string().nullish(),
  body: AnyValue.nullish(),
  attributes: Attributes,
  traceId: z.string().nullish(),
  spanId: z.string().nullish(),
});

/**
 * Decodes an export request of log records. Records that are not GenAI events, or have no span, are left out; an
 * invalid record does not affect others. @throws HttpError 415 for another content type, 422 for anything but an export
 * request.
 */
export async function decodeLogs(body: Buffer, contentType: string): Promise<DecodedLogs> {
  const request = await decodeRequest(body, contentType, { schema: Export, type: 'logs' });
  const records = (request.resourceLogs ?? []).flatMap(({ scopeLogs }) =>
    (scopeLogs ?? []).flatMap(({ logRecords }) => logRecords ?? []),
  );
  const logs: SpanLog[] = [];
  const refused: string[] = [];
  for (const [index, record] of records.entries()) {
    const read = readRecord(record);
    if (typeof read === 'string') refused.push(`Log record ${index + 1} of the request: ${read}`);
    else if (read !== undefined) logs.push(read);
  }
  return { logs, refused };
}

/**
 * @returns the record as an event; undefined for a record that is no GenAI event or has no span, and a sentence
 * for one that cannot be read.
 */
function readRecord(record: unknown): SpanLog | string | undefined {
  if (!mayBeEvent(record)) return undefined;
  const read = readPart(LogRecord, record);
  if ('problem' in read) return read.problem;
  const { timeUnixNano, observedTimeUnixNano, eventName, body, traceId, spanId } = read.data;
  const { 'event.name': olderName, ...attributes } = toAttributes(read.data.attributes);
  const name = eventName || olderName;
  if (typeof name !== 'string' || !GENAI_EVENT.test(name)) return undefined;
  if (!isId(traceId, 32) || !isId(spanId, 16)) return undefined;
  const content = body ? toPlain(body) : undefined;
  return {
    trace: traceId.toLowerCase(),
    span: spanId.toLowerCase(),
    event: runEvent({
      name,
      timeMicros: timeUnixNano || observedTimeUnixNano,
      attributes: { ...attributes, ...(isObject(content) ? content : content == null ? {} : { content }) },
    }),
  };
}

/**
 * Whether a record may be a GenAI event. This is checked first, so that other records cost little, whatever they
 * contain.
 */
function mayBeEvent(record: unknown): boolean {
  if (!isObject(record)) return false;
  if (typeof record.eventName === 'string' && record.eventName !== '')
    return GENAI_EVENT.test(record.eventName);
  const { attributes } = record;
  return Array.isArray(attributes) && attributes.some((one) => isObject(one) && one.key === 'event.name');
}

/** Whether an ID is valid; a missing ID is all zeros. */
function isId(id: string | null | undefined, digits: number): id is string {
  return id !== null && id !== undefined && id.length === digits && /^[0-9a-f]*[1-9a-f][0-9a-f]*$/i.test(id);
}
