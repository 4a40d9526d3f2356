import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isObject } from '../process/objects.ts';
import { attributesOf, nanosOf, type OtlpSpan } from './otlp-values.ts';
import { TraceFileError } from './trace-file-error.ts';

/**
 * Langfuse's exports: a trace with its observations, from its page and its API; and observations alone, from its
 * API and its tables and blob storage, which name fields with underscores.
 */

const Text = z.string().nullish();
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
  tags: z.array(z.string()).nullish().catch(undefined),
});
export type Observation = z.output<typeof Observation>;

const Trace = z.looseObject({
  id: z.string(),
  name: Text,
  timestamp: z.string(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  metadata: z.unknown().optional(),
  sessionId: Text,
  userId: Text,
  tags: z.array(z.string()).nullish().catch(undefined),
});

const KINDS: Readonly<Record<string, string>> = {
  GENERATION: 'llm',
  EMBEDDING: 'embedding',
  TOOL: 'tool',
  RETRIEVER: 'retriever',
};

/** Whether a value is an observation. */
export function isObservation(value: unknown): boolean {
  const named = camel(value);
  return (
    isObject(named) &&
    'traceId' in named &&
    'startTime' in named &&
    typeof named.type === 'string' &&
    !('spanId' in named)
  );
}

/**
 * A trace with its observations as spans.
 * @returns undefined when the value is not a trace
 * @throws TraceFileError that names the field
 */
export function readLangfuseTrace(value: unknown, place: string): OtlpSpan[] | undefined {
  if (!isObject(value) || !Array.isArray(value.observations)) return undefined;
  const own = isObject(value.trace) ? value.trace : value;
  const trace = read(Trace, own, place);
  const observations = value.observations.map((one: unknown, at) =>
    read(Observation, { traceId: trace.id, ...asObject(camel(one)) }, `${place}, observation ${at + 1}`),
  );
  const ids = new Set(observations.map(({ id }) => id));
  const tops = observations.filter(
    ({ parentObservationId }) => !parentObservationId || !ids.has(parentObservationId),
  );
  const about = { sessionId: trace.sessionId, userId: trace.userId };
  const spans = observations.map((one) => spanOf({ ...about, ...one }));
  const [only, ...others] = tops;
  if (only !== undefined && others.length === 0)
    return spans.map((span, at) =>
      observations[at] === only
        ? {
            ...span,
            attributes: [...span.attributes, ...attributesOf({ 'langsmith.span.tags': trace.tags })],
          }
        : span,
    );
  // If no observation contains all others, the trace becomes the root.
  const root = spanOf({
    ...{
      id: `trace:${trace.id}`,
      traceId: trace.id,
      type: 'SPAN',
      name: trace.name,
      startTime: trace.timestamp,
    },
    ...{ input: trace.input, output: trace.output, metadata: trace.metadata, tags: trace.tags, ...about },
    endTime: observations
      .map(({ endTime }) => endTime ?? '')
      .sort()
      .at(-1),
  });
  const isTop = new Set(tops.map(({ id }) => hexOf(id, 16)));
  return [
    root,
    ...spans.map((span) => (isTop.has(span.spanId) ? { ...span, parentSpanId: root.spanId } : span)),
  ];
}

/** @throws TraceFileError that names the field */
export function readObservation(value: unknown, place: string): OtlpSpan {
  return spanOf(read(Observation, camel(value), place));
}

function spanOf(
  observation: Partial<Observation> & Pick<Observation, 'id' | 'traceId' | 'type' | 'startTime'>,
): OtlpSpan {
  const { traceId, id, parentObservationId, type, startTime, endTime, level } = observation;
  const kind = KINDS[type.toUpperCase()] ?? 'chain';
  const end = nanosOf(time(endTime));
  const start = nanosOf(time(startTime));
  if (start === undefined)
    throw new TraceFileError(`startTime of the observation ${id} is not a time: ${startTime}.`);
  const metadata = asObject(parsed(observation.metadata));
  return {
    traceId: hexOf(traceId, 32),
    spanId: hexOf(id, 16),
    ...(parentObservationId ? { parentSpanId: hexOf(parentObservationId, 16) } : {}),
    name: observation.name || type.toLowerCase(),
    kind: 1,
    startTimeUnixNano: start,
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
      ...Object.fromEntries(
        Object.entries(metadata).map(([name, value]) => [
          `langsmith.metadata.${name}`,
          typeof value === 'object' ? textOf(value) : value,
        ]),
      ),
    }),
    ...(level === 'ERROR' ? { status: { code: 2, message: observation.statusMessage ?? '' } } : {}),
  };
}

/**
 * Sums of the tokens of input and output. Langfuse counts each kind of token once, so `input` may lack cached
 * tokens; then the kinds add up to `total`.
 */
function usageText({ usageDetails, costDetails }: Partial<Observation>): string | undefined {
  if (!usageDetails || Object.keys(usageDetails).length === 0) return undefined;
  const { total, ...kinds } = usageDetails;
  const sumOf = (word: string) =>
    Object.entries(kinds).reduce((sum, [name, n]) => (name.includes(word) ? sum + n : sum), 0);
  const [input, output] = [sumOf('input'), sumOf('output')];
  const areApart = total === undefined || input + output <= total;
  const [inputTokens, outputTokens] = areApart ? [input, output] : [kinds.input ?? 0, kinds.output ?? 0];
  const cached = Object.entries(kinds).find(
    ([name]) => /input/.test(name) && /cache/.test(name) && !/creation|write/.test(name),
  );
  const reasoning = Object.entries(kinds).find(([name]) => /reasoning/.test(name));
  const cost = (name: string) =>
    costDetails?.[name] === undefined ? {} : { [`${name}_cost`]: costDetails[name] };
  return JSON.stringify({
    ...{
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: total ?? inputTokens + outputTokens,
    },
    ...(cached === undefined ? {} : { input_token_details: { cache_read: cached[1] } }),
    ...(reasoning === undefined ? {} : { output_token_details: { reasoning: reasoning[1] } }),
    ...cost('input'),
    ...cost('output'),
    ...cost('total'),
  });
}

/** IDs of OpenTelemetry are kept; other IDs are hashed, so that the same ID always gives the same hash. */
function hexOf(id: string, digits: number): string {
  const plain = id.replaceAll('-', '').toLowerCase();
  if (plain.length === digits && /^[0-9a-f]*[1-9a-f][0-9a-f]*$/.test(plain)) return plain;
  return createHash('sha256').update(id).digest('hex').slice(0, digits);
}

/** Blob storage writes times without a T. */
function time(text: string | null | undefined): string | undefined {
  return text?.replace(/^(\d{4}-\d\d-\d\d) /, '$1T');
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The names of fields in Langfuse's API. */
function camel(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      /^usage_?details$|^cost_?details$/i.test(name) ? parsed(inner) : inner,
    ]),
  );
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

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
