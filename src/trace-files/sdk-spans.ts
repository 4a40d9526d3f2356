import { z } from 'zod';
import { anyValue, attributesOf, type OtlpSpan } from './otlp-values.ts';

// Some programs write the span and log objects of OpenTelemetry's SDK for JavaScript as JSON, without an OTLP exporter:
// for example VS Code's Copilot Chat, to the file in `github.copilot.chat.otel.outfile`.

/** A time as seconds and nanoseconds, converted to nanoseconds. */
const HrTime = z
  .tuple([z.int(), z.int()])
  .transform(([s, ns]) => String(BigInt(s) * 1_000_000_000n + BigInt(ns)));
const Attributes = z.record(z.string(), z.unknown()).nullish();
const Resource = z.looseObject({ attributes: Attributes }).nullish();

const Span = z.looseObject({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().nullish(),
  name: z.string(),
  kind: z.int().nullish(),
  startTime: HrTime,
  endTime: HrTime.nullish(),
  status: z.looseObject({ code: z.int().nullish(), message: z.string().nullish() }).nullish(),
  attributes: Attributes,
  events: z
    .array(z.looseObject({ name: z.string(), time: HrTime.nullish(), attributes: Attributes }))
    .nullish(),
  resource: Resource,
  instrumentationScope: z
    .looseObject({ name: z.string().nullish(), version: z.string().nullish() })
    .nullish(),
});

/** The fields of the SDK's class. Some versions have getters, and fields that begin with an underscore. */
const LogRecord = z.looseObject({
  hrTime: HrTime,
  spanContext: z.looseObject({ traceId: z.string(), spanId: z.string() }),
  eventName: z.string().nullish(),
  _eventName: z.string().nullish(),
  body: z.unknown().optional(),
  _body: z.unknown().optional(),
  attributes: Attributes,
});

/** @returns an item of `resourceSpans` with one span; undefined when the value is not such a span */
export function readSdkSpan(value: unknown): object | undefined {
  const read = Span.safeParse(value);
  if (!read.success) return undefined;
  const { traceId, spanId, parentSpanId, name, kind, startTime, endTime, status, events, ...around } =
    read.data;
  const span: OtlpSpan = {
    traceId,
    spanId,
    name,
    // The SDK counts kinds from 0, and OTLP from 1.
    kind: (kind ?? 0) + 1,
    startTimeUnixNano: startTime,
    ...(parentSpanId ? { parentSpanId } : {}),
    ...(endTime ? { endTimeUnixNano: endTime } : {}),
    attributes: attributesOf(around.attributes ?? {}),
    ...(events ? { events: events.map(eventOf) } : {}),
    ...(status?.code
      ? { status: { code: status.code, ...(status.message ? { message: status.message } : {}) } }
      : {}),
  };
  const scope = around.instrumentationScope ?? {};
  return {
    resource: { attributes: attributesOf(around.resource?.attributes ?? {}) },
    scopeSpans: [{ scope: { name: scope.name ?? '', version: scope.version ?? '' }, spans: [span] }],
  };
}

function eventOf(event: {
  name: string;
  time?: string | null | undefined;
  attributes?: Record<string, unknown> | null | undefined;
}) {
  return {
    name: event.name,
    ...(event.time ? { timeUnixNano: event.time } : {}),
    attributes: attributesOf(event.attributes ?? {}),
  };
}

/** @returns an item of `resourceLogs` with one record; undefined when the value is not such a record */
export function readSdkLog(value: unknown): object | undefined {
  const read = LogRecord.safeParse(value);
  if (!read.success) return undefined;
  const { hrTime, spanContext, attributes } = read.data;
  const { traceId, spanId } = spanContext;
  const body = read.data.body ?? read.data._body;
  const record = {
    traceId,
    spanId,
    timeUnixNano: hrTime,
    attributes: attributesOf(attributes ?? {}),
    eventName: read.data.eventName ?? read.data._eventName ?? '',
    ...(body === undefined ? {} : { body: anyValue(body) }),
  };
  return { scopeLogs: [{ logRecords: [record] }] };
}
