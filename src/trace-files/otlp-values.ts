import { isObject } from '../process/objects.ts';
import { millisecondsOf } from '../terms/times.ts';

/** A value in OTLP's JSON form. */
export type AnyValue = Readonly<Record<string, unknown>>;

export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** An event of a span in OTLP's JSON form. */
export interface OtlpEvent {
  readonly name: string;
  readonly timeUnixNano?: string;
  readonly attributes: readonly KeyValue[];
}

/** A span in OTLP's JSON form. IDs are hexadecimal, and times are nanoseconds since 1970. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano?: string;
  readonly attributes: readonly KeyValue[];
  readonly events?: readonly OtlpEvent[];
  readonly status?: { readonly code: number; readonly message?: string };
}

/** OTLP's number for the kind of spans that are neither requests nor messages. */
export const INTERNAL_SPAN = 1;
/** OTLP's status code of spans that failed. */
export const STATUS_ERROR = 2;

/** Converts values to attributes; null and undefined are left out. */
export function attributesOf(values: Readonly<Record<string, unknown>>): KeyValue[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key, value: anyValue(value) }],
  );
}

/** LangSmith's attributes for metadata; objects and lists become JSON text, and null is left out. */
export function metadataAttributes(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      `langsmith.metadata.${name}`,
      typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? undefined),
    ]),
  );
}

/** Converts a value of JSON to OTLP's form. */
export function anyValue(value: unknown): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (isObject(value))
    return {
      kvlistValue: { values: Object.entries(value).map(([key, inner]) => ({ key, value: anyValue(inner) })) },
    };
  return {};
}

/** Converts a time from the API. @returns nanoseconds since 1970; undefined for an invalid time */
export function nanosOf(time: string | number | null | undefined): string | undefined {
  const ms = millisecondsOf(time);
  if (ms === undefined) return undefined;
  // The fraction of the milliseconds has the microseconds.
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}
