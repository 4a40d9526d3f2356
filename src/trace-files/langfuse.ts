import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isObject } from '../process/objects.ts';
import { parseIfJson } from '../terms/fields.ts';
import {
  attributesOf,
  INTERNAL_SPAN,
  metadataAttributes,
  nanosOf,
  type OtlpSpan,
  STATUS_ERROR,
} from './otlp-values.ts';
import { TraceFileError } from './trace-file-error.ts';

// Langfuse exports traces with their observations (from a trace's page, and the API), and observations alone
// (from the API, tables and blob storage). Tables and blob storage name fields with underscores.

const Text = z.string().nullish();
// Usage, costs and tags are extra, so their values of other types do not prevent the import.
const Tags = z.array(z.string()).nullish().catch(undefined);
const Numbers = z.record(z.string(), z.coerce.number().catch(0)).nullish().catch(undefined);

const Observation = z.looseObject({
  id: z.string(),
  traceId: z.string(),
  parentObservationId: Text,
  type: z.string(),
  name: Text,
  startTime: z.string(),
  endTime: Text,
  completionStartTime: Text,
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  metadata: z.unknown().optional(),
  model: Text,
  providedModelName: Text,
  modelParameters: z.unknown().optional(),
  usageDetails: Numbers,
  costDetails: Numbers,
  level: Text,
  statusMessage: Text,
  sessionId: Text,
  userId: Text,
  tags: Tags,
});
type Observation = z.output<typeof Observation>;

const Trace = z.looseObject({
  id: z.string(),
  name: Text,
  timestamp: z.string(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  metadata: z.unknown().optional(),
  sessionId: Text,
  userId: Text,
  tags: Tags,
});

/** Run types for types of observations; all others are chains. */
const RUN_TYPES: Readonly<Record<string, string>> = {
  GENERATION: 'llm',
  EMBEDDING: 'embedding',
  TOOL: 'tool',
  RETRIEVER: 'retriever',
};

/** Whether a value is an observation. Spans of other formats, which have a `spanId`, are not. */
export function isObservation(value: unknown): boolean {
  const named = withCamelCase(value);
  return (
    isObject(named) &&
    'traceId' in named &&
    'startTime' in named &&
    typeof named.type === 'string' &&
    !('spanId' in named)
  );
}

/**
 * Converts a trace and its observations to spans. The trace becomes the root, unless one observation contains all
 * others.
 * @returns undefined when the value is not a trace
 * @throws TraceFileError that names the field
 */
export function readLangfuseTrace(value: unknown, place: string): OtlpSpan[] | undefined {
  if (!isObject(value) || !Array.isArray(value.observations)) return undefined;
  const own = isObject(value.trace) ? value.trace : value;
  const trace = read(Trace, own, place);
  const observations = value.observations.map((one: unknown, at) =>
    read(
      Observation,
      { traceId: trace.id, ...asObject(withCamelCase(one)) },
      `${place}, observation ${at + 1}`,
    ),
  );
  const ids = new Set(observations.map(({ id }) => id));
  const isTop = ({ parentObservationId }: Observation) =>
    !parentObservationId || !ids.has(parentObservationId);
  const { sessionId, userId } = trace;
  const spans = observations.map((one) => ({ one, span: spanOf({ sessionId, userId, ...one }) }));
  if (observations.filter(isTop).length === 1) {
    return spans.map(({ one, span }) => (isTop(one) ? withTags(span, trace.tags) : span));
  }
  const root = rootOf(trace, observations);
  return [
    root,
    ...spans.map(({ one, span }) => (isTop(one) ? { ...span, parentSpanId: root.spanId } : span)),
  ];
}

function withTags(span: OtlpSpan, tags: readonly string[] | null | undefined): OtlpSpan {
  return { ...span, attributes: [...span.attributes, ...attributesOf({ 'langsmith.span.tags': tags })] };
}

/** The span of a trace itself. It ends with the last of its observations. */
function rootOf(trace: z.output<typeof Trace>, observations: readonly Observation[]): OtlpSpan {
  const { id, timestamp, name, input, output, metadata, tags, sessionId, userId } = trace;
  const ends = observations.map(({ endTime }) => endTime ?? '').sort();
  return spanOf({
    id: `trace:${id}`,
    traceId: id,
    type: 'SPAN',
    startTime: timestamp,
    endTime: ends.at(-1),
    name,
    input,
    output,
    metadata,
    tags,
    sessionId,
    userId,
  });
}

/** Converts an observation to a span. @throws TraceFileError that names the field */
export function readObservation(value: unknown, place: string): OtlpSpan {
  return spanOf(read(Observation, withCamelCase(value), place));
}

function spanOf(
  observation: Partial<Observation> & Pick<Observation, 'id' | 'traceId' | 'type' | 'startTime'>,
): OtlpSpan {
  const { traceId, id, parentObservationId, type, startTime, endTime, level } = observation;
  const kind = RUN_TYPES[type.toUpperCase()] ?? 'chain';
  const end = nanosOf(isoText(endTime));
  const start = nanosOf(isoText(startTime));
  if (start === undefined)
    throw new TraceFileError(`startTime of the observation ${id} is not a time: ${startTime}.`);
  const metadata = asObject(parseIfJson(observation.metadata));
  return {
    traceId: hexOf(traceId, 32),
    spanId: hexOf(id, 16),
    ...(parentObservationId ? { parentSpanId: hexOf(parentObservationId, 16) } : {}),
    name: observation.name || type.toLowerCase(),
    kind: INTERNAL_SPAN,
    startTimeUnixNano: start,
    // Langfuse's events have no end.
    endTimeUnixNano: end ?? start,
    attributes: attributesOf({
      'langsmith.span.kind': kind,
      'langsmith.inputs': textOf(observation.input),
      'langsmith.outputs': textOf(observation.output),
      'langsmith.span.tags': observation.tags,
      'langsmith.usage_metadata': usageText(observation),
      'gen_ai.request.model': observation.model ?? observation.providedModelName,
      'session.id': observation.sessionId,
      'user.id': observation.userId,
      ...metadataAttributes(metadata),
    }),
    ...(level === 'ERROR'
      ? { status: { code: STATUS_ERROR, message: observation.statusMessage ?? '' } }
      : {}),
  };
}

/**
 * The usage of a call as LangSmith's JSON, with sums of input and output tokens. In Langfuse, `input` may exclude cached
 * tokens, which then have an entry of their own, and all entries add up to `total`.
 */
function usageText({ usageDetails, costDetails }: Partial<Observation>): string | undefined {
  if (!usageDetails || Object.keys(usageDetails).length === 0) return undefined;
  const { total, ...kinds } = usageDetails;
  const sumOf = (word: string) =>
    Object.entries(kinds).reduce((sum, [name, n]) => (name.includes(word) ? sum + n : sum), 0);
  const [input, output] = [sumOf('input'), sumOf('output')];
  const areDisjoint = total === undefined || input + output <= total;
  const [inputTokens, outputTokens] = areDisjoint ? [input, output] : [kinds.input ?? 0, kinds.output ?? 0];
  const cached = Object.entries(kinds).find(
    ([name]) => /input/.test(name) && /cache/.test(name) && !/creation|write/.test(name),
  );
  const reasoning = Object.entries(kinds).find(([name]) => /reasoning/.test(name));
  const cost = (name: string) =>
    costDetails?.[name] === undefined ? {} : { [`${name}_cost`]: costDetails[name] };
  return JSON.stringify({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: total ?? inputTokens + outputTokens,
    ...(cached === undefined ? {} : { input_token_details: { cache_read: cached[1] } }),
    ...(reasoning === undefined ? {} : { output_token_details: { reasoning: reasoning[1] } }),
    ...cost('input'),
    ...cost('output'),
    ...cost('total'),
  });
}

/**
 * Converts an ID to one with the given number of hexadecimal digits. IDs of OpenTelemetry are kept, and
 * others are hashed.
 */
function hexOf(id: string, digits: number): string {
  const plain = id.replaceAll('-', '').toLowerCase();
  if (plain.length === digits && /^[0-9a-f]*[1-9a-f][0-9a-f]*$/.test(plain)) return plain;
  return createHash('sha256').update(id).digest('hex').slice(0, digits);
}

/** Adds the T to times from blob storage. */
function isoText(text: string | null | undefined): string | undefined {
  return text?.replace(/^(\d{4}-\d\d-\d\d) /, '$1T');
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Renames the fields of an object as in Langfuse's API, and parses usage and costs that are JSON text. */
function withCamelCase(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      /^usage_?details$|^cost_?details$/i.test(name) ? parseIfJson(inner) : inner,
    ]),
  );
}

/** An object, which is empty for a missing value; any other value becomes its field `metadata`. */
function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : value === undefined || value === null ? {} : { metadata: value };
}

function read<Value>(schema: z.ZodType<Value>, value: unknown, place: string): Value {
  const found = schema.safeParse(value);
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  throw new TraceFileError(
    `${place} is not what Langfuse exports: ${issue?.path.join('.')}: ${issue?.message}.`,
  );
}
