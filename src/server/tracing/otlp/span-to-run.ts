import { RunType } from '../../../contract/tracing/runs.ts';
import { formatTime } from '../database/time.ts';
import { isModelCall } from '../runs/model-calls.ts';
import { normalId } from '../runs/parts.ts';
import { usageSource } from '../runs/usage.ts';
import { type Attributes, textIn } from './attributes.ts';
import { type Span, toAttributes } from './decode.ts';
import { runEvent } from './run-events.ts';
import { failureOf } from './span-failure.ts';
import { metadataOf } from './span-metadata.ts';
import { inputsOf, outputsOf } from './span-payloads.ts';
import { langSmithUsage, usageOf } from './span-usage.ts';

/** A span converted to a run, except for its place in the trace, which depends on the spans above it. */
export interface SpanRun {
  /** Hexadecimal, as OpenTelemetry writes them. */
  readonly trace: string;
  readonly span: string;
  readonly parent: string | undefined;
  /** The run ID, if the sender chose one. */
  readonly runId: string | undefined;
  readonly traceId: string | undefined;
  readonly parentRunId: string | undefined;
  readonly dottedOrder: string | undefined;
  /** Microseconds since 1970, like `end`. */
  readonly start: number;
  readonly end?: number | undefined;
  /** Whether the usage that the span states is that of its own model call, or the sum over its descendants. */
  readonly usage?: 'call' | 'sum' | undefined;
  /** The sum that the span states, which counts if nothing below the span does. */
  readonly stated?: Record<string, unknown> | undefined;
  /** The fields and payloads of the run. */
  readonly fields: Record<string, unknown>;
}

/**
 * Translates a span according to the conventions of LangSmith, GenAI, OpenInference and OpenLLMetry
 * (docs/interface/tracing.md#opentelemetry).
 * @param project the name of the project, unless the span or its resource names another one.
 */
export function spanToRun(span: Span, project: string | undefined): SpanRun {
  const attributes = toAttributes(span.attributes);
  const resource = toAttributes(span.resource);
  const events = (span.events ?? []).map(({ name, timeUnixNano, attributes: list }) => ({
    name,
    timeMicros: timeUnixNano,
    attributes: toAttributes(list),
  }));
  // In microseconds, which `Nanos` converts to. In protobuf, a missing time is 0.
  const { startTimeUnixNano: start } = span;
  const end = span.endTimeUnixNano || undefined;
  const failure = failureOf(span, events);
  const runType = runTypeOf(attributes);
  const outputs = outputsOf(attributes, events);
  const usage = usageIn(attributes, runType, outputs);
  const example = idIn(attributes['langsmith.reference_example_id']);
  const firstToken = events.find(({ name }) => FIRST_TOKEN.includes(name))?.timeMicros ?? undefined;
  return {
    trace: span.traceId.toLowerCase(),
    span: span.spanId.toLowerCase(),
    parent: span.parentSpanId ? span.parentSpanId.toLowerCase() : undefined,
    runId: idIn(attributes['langsmith.span.id']),
    traceId: idIn(attributes['langsmith.trace.id']),
    parentRunId: idIn(attributes['langsmith.span.parent_id']),
    dottedOrder: textIn(attributes, 'langsmith.span.dotted_order'),
    start,
    end,
    ...usage.fields,
    fields: {
      name: textIn(attributes, 'langsmith.trace.name') ?? nameOf(span.name, runType, attributes),
      run_type: runType,
      start_time: formatTime(start),
      ...(end === undefined ? {} : { end_time: formatTime(end) }),
      ...projectOf(attributes, project ?? textIn(resource, 'openinference.project.name')),
      ...(example === undefined ? {} : { reference_example_id: example }),
      ...(firstToken === undefined ? {} : { first_token_time: formatTime(firstToken) }),
      tags: tagsOf(attributes['langsmith.span.tags'] ?? attributes['tag.tags']),
      inputs: inputsOf(attributes, events),
      outputs,
      ...(events.length === 0 ? {} : { events: events.map(runEvent) }),
      ...(failure === undefined ? {} : { error: failure }),
      extra: {
        metadata: {
          ...metadataOf(attributes, resource),
          otel_trace_id: span.traceId,
          otel_span_id: span.spanId,
          ...usage.metadata,
        },
        otel: attributes,
        otel_resource: resource,
        ...(span.scope?.name ? { otel_scope: span.scope } : {}),
      },
    },
  };
}

/**
 * The name of a span. Senders that give all spans of tools the same name, such as `ai.toolCall`, name the tool in an
 * attribute.
 */
function nameOf(name: string, runType: RunType, attributes: Attributes): string {
  const tool = runType === 'tool' ? textIn(attributes, 'ai.toolCall.name', 'tool.name') : undefined;
  return tool === undefined || name.includes(tool) ? name : `${name} ${tool}`;
}

/**
 * The usage that a span states, for the span and for the metadata of its run. Spans that call no model state
 * the sum of the spans below.
 */
function usageIn(
  attributes: Attributes,
  runType: RunType,
  outputs: unknown,
): { fields: Pick<SpanRun, 'usage' | 'stated'>; metadata: Record<string, unknown> } {
  const isCall = isModelCall(runType);
  const stated = usageOf(attributes);
  const usage = langSmithUsage(attributes) ?? (isCall ? stated : undefined);
  const isStated = (usage ?? stated ?? (isCall ? usageSource(undefined, outputs) : undefined)) !== undefined;
  return {
    fields: {
      ...(isStated ? { usage: isCall ? 'call' : 'sum' } : {}),
      ...(isCall || stated === undefined ? {} : { stated }),
    },
    metadata: usage === undefined ? {} : { usage_metadata: usage },
  };
}

/** The names of events that senders record at the first token of a stream. */
const FIRST_TOKEN = ['ai.stream.firstChunk', 'new_token', 'gen_ai.first_token'];

/** The run types of the kinds of spans in all conventions, in lower case. */
const RUN_TYPES: ReadonlyMap<string, RunType> = new Map(
  Object.entries({
    chat: 'llm',
    text_completion: 'llm',
    generate_content: 'llm',
    completion: 'llm',
    embeddings: 'embedding',
    execute_tool: 'tool',
    workflow: 'chain',
    task: 'chain',
    agent: 'chain',
    invoke_agent: 'chain',
    create_agent: 'chain',
    invoke_workflow: 'chain',
    plan: 'chain',
    retrieval: 'retriever',
    rerank: 'retriever',
    reranker: 'retriever',
    guardrail: 'chain',
    evaluator: 'chain',
  } satisfies Record<string, RunType>),
);

/**
 * The run type of one of the Vercel AI SDK's operations: the names of model calls end with `.do…`; the other operations
 * contain them.
 */
function runTypeOfOperation(operation: string): RunType {
  if (operation === 'ai.toolCall') return 'tool';
  if (operation.endsWith('.doEmbed')) return 'embedding';
  return /\.do[A-Z]\w*$/.test(operation) ? 'llm' : 'chain';
}

function runTypeOf(attributes: Attributes): RunType {
  for (const name of [
    'langsmith.span.kind',
    'openinference.span.kind',
    'traceloop.span.kind',
    'gen_ai.operation.name',
    'llm.request.type',
  ]) {
    const kind = textIn(attributes, name)?.toLowerCase();
    if (kind === undefined) continue;
    const known = RunType.safeParse(kind);
    const runType = known.success ? known.data : RUN_TYPES.get(kind);
    if (runType !== undefined) return runType;
  }
  const operation = textIn(attributes, 'ai.operationId');
  if (operation !== undefined) return runTypeOfOperation(operation);
  // Operations on a memory, such as `search_memory`, and hooks name a model, but do not call it.
  if (/memory|hook/i.test(textIn(attributes, 'gen_ai.operation.name') ?? '')) return 'chain';
  if (textIn(attributes, 'gen_ai.request.model', 'gen_ai.response.model') !== undefined) return 'llm';
  const provider = textIn(attributes, 'gen_ai.system', 'gen_ai.provider.name');
  return provider !== undefined && usageOf(attributes) !== undefined ? 'llm' : 'chain';
}

/** The fields of a run that name its project. @param fallback the name of the project of spans that name none. */
function projectOf(attributes: Attributes, fallback: string | undefined): Record<string, string> {
  const id = idIn(attributes['langsmith.trace.session_id']);
  if (id !== undefined) return { session_id: id };
  const name = textIn(attributes, 'langsmith.trace.session_name') ?? fallback;
  return name === undefined ? {} : { session_name: name };
}

function tagsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'string'
    ? value
        .split(',')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== '')
    : [];
}

/** A UUID in canonical form; undefined for any other value. */
function idIn(value: unknown): string | undefined {
  return typeof value === 'string' ? normalId(value) : undefined;
}
