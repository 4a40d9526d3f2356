import { z } from 'zod';
import { HttpError } from '../../http/errors.ts';
import { isStorable, STORABLE_YEARS } from '../database/time.ts';

/** A value in OTLP's JSON form; protobuf is decoded to the same form. */
export interface AnyValue {
  stringValue?: string | undefined;
  boolValue?: boolean | undefined;
  intValue?: string | number | undefined;
  /** Numbers that JSON lacks are strings: `NaN`, `Infinity`, `-Infinity`. */
  doubleValue?: number | string | undefined;
  arrayValue?: { values?: AnyValue[] | undefined } | undefined;
  kvlistValue?: { values?: { key: string; value?: AnyValue | undefined }[] | undefined } | undefined;
  bytesValue?: string | undefined;
}

/** Any number, including NaN; in protobuf's JSON it may be a string. */
const Double = z.union([
  z.number(),
  z.nan().transform(String),
  z.custom<number>((value) => typeof value === 'number').transform(String),
  z.string().transform((text) => (Number.isFinite(Number(text)) && text.trim() !== '' ? Number(text) : text)),
]);

export const AnyValue: z.ZodType<AnyValue> = z.lazy(() =>
  z.object({
    stringValue: z.string().optional(),
    boolValue: z.boolean().optional(),
    intValue: z.union([z.string(), z.number()]).optional(),
    doubleValue: Double.optional(),
    arrayValue: z.object({ values: z.array(AnyValue).optional() }).optional(),
    kvlistValue: z
      .object({ values: z.array(z.object({ key: z.string(), value: AnyValue.optional() })).optional() })
      .optional(),
    bytesValue: z.string().optional(),
  }),
);

export const Attributes = z
  .array(z.object({ key: z.string(), value: AnyValue.optional() }))
  .nullish()
  .transform((list) => list ?? []);
/** A time in nanoseconds since 1970, which is converted to microseconds. */
export const Nanos = z
  .union([z.string(), z.number()])
  .transform((value) => Math.round(Number(value) / 1000))
  .refine(isStorable, `Must be a number of nanoseconds since 1970, in the years ${STORABLE_YEARS}.`);

const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().nullish(),
  name: z.string().default('span'),
  startTimeUnixNano: Nanos,
  endTimeUnixNano: Nanos.nullish(),
  attributes: Attributes,
  events: z
    .array(z.object({ name: z.string().default(''), timeUnixNano: Nanos.nullish(), attributes: Attributes }))
    .nullish(),
  status: z
    .object({ code: z.union([z.number(), z.string()]).nullish(), message: z.string().nullish() })
    .nullish(),
});
/** A span with the attributes of its resource, and the library that recorded it. */
export type Span = z.output<typeof Span> & {
  readonly resource: AttributeList;
  readonly scope?: z.output<typeof Scope> | undefined;
};

/** The library that recorded a span. */
const Scope = z.object({ name: z.string().optional(), version: z.string().optional() });

type AttributeList = z.output<typeof Attributes>;

const Export = z.object({
  resourceSpans: z
    .array(
      z.object({
        resource: z.object({ attributes: Attributes }).nullish(),
        scopeSpans: z
          .array(z.object({ scope: Scope.nullish().catch(undefined), spans: z.array(z.unknown()).nullish() }))
          .nullish(),
      }),
    )
    .nullish(),
});

/** The spans in a request, and for each invalid span a sentence that says why it is invalid. */
interface DecodedSpans {
  readonly spans: readonly Span[];
  readonly refused: readonly string[];
}

/**
 * Decodes an export request: IDs become hexadecimal, and times become microseconds. An invalid span does not affect
 * others. @throws HttpError 415 for another content type, 422 for anything but an export request.
 */
export async function decodeSpans(body: Buffer, contentType: string): Promise<DecodedSpans> {
  const request = await decodeRequest(body, contentType, { schema: Export, type: 'traces' });
  const found = (request.resourceSpans ?? []).flatMap(({ resource, scopeSpans }) =>
    (scopeSpans ?? []).flatMap(({ scope, spans }) =>
      (spans ?? []).map((span) => ({
        span,
        resource: resource?.attributes ?? [],
        scope: scope ?? undefined,
      })),
    ),
  );
  const spans: Span[] = [];
  const refused: string[] = [];
  for (const [index, { span, resource, scope }] of found.entries()) {
    const read = readSpan(span, index + 1);
    if (typeof read === 'string') refused.push(read);
    else spans.push({ ...read, resource, scope });
  }
  return { spans, refused };
}

/**
 * Checks a span.
 * @param number the position of the span in the request, beginning at 1.
 * @returns the span, or a sentence that says why it is invalid.
 */
function readSpan(span: unknown, number: number): z.output<typeof Span> | string {
  const read = readPart(Span, span);
  if ('problem' in read) return `Span ${number} of the request: ${read.problem}`;
  return idProblem(read.data) ?? read.data;
}

/**
 * Checks a part of a request, such as a span.
 * @returns the part; or else the problem as a clause, also of one that is nested too deeply to be checked
 */
export function readPart<Part>(
  schema: z.ZodType<Part>,
  part: unknown,
): { readonly data: Part } | { readonly problem: string } {
  const parsed = parseUnlessDeep(schema, part);
  if (parsed === undefined) return { problem: TOO_DEEP };
  if (parsed.success) return { data: parsed.data };
  const [issue] = parsed.error.issues;
  return { problem: `${issue?.path.join('.')}: ${issue?.message}` };
}

const TOO_DEEP = 'it is nested too deeply.';

/** @returns undefined for a value that is nested too deeply to be checked */
function parseUnlessDeep<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
): z.ZodSafeParseResult<Value> | undefined {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function idProblem({ traceId, spanId, name }: z.output<typeof Span>): string | undefined {
  if (/^[0-9a-f]{32}$/i.test(traceId) && /^[0-9a-f]{16}$/i.test(spanId)) return undefined;
  return `Span '${name}' needs a traceId of 16 bytes and a spanId of 8 bytes, in hexadecimal.`;
}

/**
 * Decodes an OTLP request, except for the contents of its spans or log records. @throws HttpError 415 for another
 * content type, 422 for anything but an OTLP request.
 */
export async function decodeRequest<Request>(
  body: Buffer,
  contentType: string,
  { schema, type: kind }: { schema: z.ZodType<Request>; type: 'traces' | 'logs' },
): Promise<Request> {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase();
  let message: unknown;
  try {
    if (type === 'application/json') message = JSON.parse(body.toString('utf8'));
    else if (type === 'application/x-protobuf') message = await decodeProtobuf(body, kind);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unreadable';
    throw new HttpError(422, [
      { loc: ['body'], msg: `The body is not a valid OTLP request: ${reason}`, type: 'otlp' },
    ]);
  }
  if (message === undefined) throw new HttpError(415, 'Send application/x-protobuf or application/json.');
  const parsed = parseUnlessDeep(schema, message);
  if (parsed === undefined) throw new HttpError(422, [{ loc: ['body'], msg: TOO_DEEP, type: 'otlp' }]);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const loc = [
    'body',
    ...(issue?.path.map((part) => (typeof part === 'symbol' ? String(part) : part)) ?? []),
  ];
  throw new HttpError(422, [{ loc, msg: issue?.message ?? 'Not a valid OTLP request.', type: 'otlp' }]);
}

/** Decodes a protobuf message to OTLP's JSON form. The decoder is loaded when the first message arrives. */
async function decodeProtobuf(body: Buffer, kind: 'traces' | 'logs'): Promise<unknown> {
  const { logsRequestType, tracesRequestType } = await import('./protobuf.ts');
  const type = kind === 'logs' ? logsRequestType() : tracesRequestType();
  const message = type.toObject(type.decode(body), { longs: String, bytes: Array, defaults: false });
  return withTextBytes(message);
}

/** The members of a message that are bytes in protobuf, with their encoding in OTLP's JSON form. */
const ENCODINGS = new Map<string, BufferEncoding>([
  ['traceId', 'hex'],
  ['spanId', 'hex'],
  ['parentSpanId', 'hex'],
  ['bytesValue', 'base64'],
]);
const Bytes = z.array(z.number());

/** Converts the bytes in a decoded message to text, as in OTLP's JSON form. */
function withTextBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTextBytes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const encoding = ENCODINGS.get(key);
      const text = encoding && Buffer.from(Bytes.parse(member)).toString(encoding);
      return [key, text ?? withTextBytes(member)];
    }),
  );
}

/** Converts a list of attributes to plain values by name. */
export function toAttributes(list: AttributeList): Readonly<Record<string, unknown>> {
  return Object.fromEntries(list.map(({ key, value }) => [key, toPlain(value)]));
}

/** Converts a value to plain JSON. */
export function toPlain(value: AnyValue | undefined): unknown {
  if (value === undefined) return null;
  if (value.intValue !== undefined) return integer(value.intValue);
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(toPlain);
  if (value.kvlistValue !== undefined) {
    return Object.fromEntries(
      (value.kvlistValue.values ?? []).map((entry) => [entry.key, toPlain(entry.value)]),
    );
  }
  return value.stringValue ?? value.boolValue ?? value.doubleValue ?? value.bytesValue ?? null;
}

/** Converts a 64-bit integer in text to a number, unless a number cannot represent it exactly. */
function integer(value: string | number): string | number {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
