import { RunType } from '../../../contract/tracing/runs.ts';
import { normalId } from '../ingestion/parts.ts';
import { formatTime } from '../time.ts';
import { plain, type Span } from './decode.ts';

/** A span as a run, but for its place in the trace, which needs the spans above it. */
export interface SpanRun {
  /** Hexadecimal, as OpenTelemetry writes them. */
  readonly trace: string;
  readonly span: string;
  readonly parent: string | undefined;
  /** Ids that the sender chose itself. */
  readonly runId: string | undefined;
  readonly traceId: string | undefined;
  readonly parentRunId: string | undefined;
  readonly dottedOrder: string | undefined;
  readonly start: number;
  /** Fields and payloads of the run. */
  readonly fields: Record<string, unknown>;
}

type Attributes = Readonly<Record<string, unknown>>;

/**
 * Translates a span by the conventions of LangSmith, GenAI, OpenInference and OpenLLMetry
 * (docs/interface/tracing.md#opentelemetry).
 */
export function spanToRun(span: Span, project: string | undefined): SpanRun {
  const attributes = Object.fromEntries(span.attributes.map(({ key, value }) => [key, plain(value)]));
  const failure = failureOf(span);
  const usage = usageOf(attributes);
  const example = idIn(attributes['langsmith.reference_example_id']);
  return {
    trace: span.traceId.toLowerCase(),
    span: span.spanId.toLowerCase(),
    parent: span.parentSpanId ? span.parentSpanId.toLowerCase() : undefined,
    runId: idIn(attributes['langsmith.span.id']),
    traceId: idIn(attributes['langsmith.trace.id']),
    parentRunId: idIn(attributes['langsmith.span.parent_id']),
    dottedOrder: text(attributes['langsmith.span.dotted_order']),
    start: span.startTimeUnixNano,
    fields: {
      name: text(attributes['langsmith.trace.name']) ?? span.name,
      run_type: runTypeOf(attributes),
      start_time: formatTime(span.startTimeUnixNano),
      ...(span.endTimeUnixNano ? { end_time: formatTime(span.endTimeUnixNano) } : {}),
      ...projectOf(attributes, project),
      ...(example === undefined ? {} : { reference_example_id: example }),
      tags: tagsOf(attributes['langsmith.span.tags']),
      inputs:
        payload(attributes, INPUTS) ?? messages(attributes, 'gen_ai.prompt', 'llm.input_messages') ?? {},
      outputs:
        payload(attributes, OUTPUTS) ?? messages(attributes, 'gen_ai.completion', 'llm.output_messages'),
      ...(failure === undefined ? {} : { error: failure }),
      extra: {
        metadata: {
          ...metadataOf(attributes),
          otel_trace_id: span.traceId,
          otel_span_id: span.spanId,
          ...(usage === undefined ? {} : { usage_metadata: usage }),
        },
        otel: attributes,
      },
    },
  };
}

const INPUTS = ['gen_ai.input.messages', 'input.value', 'traceloop.entity.input', 'langsmith.inputs'];
const OUTPUTS = ['gen_ai.output.messages', 'output.value', 'traceloop.entity.output', 'langsmith.outputs'];

const KINDS: Readonly<Record<string, RunType>> = {
  chat: 'llm',
  text_completion: 'llm',
  generate_content: 'llm',
  completion: 'llm',
  embeddings: 'embedding',
  execute_tool: 'tool',
  workflow: 'chain',
  task: 'chain',
  agent: 'chain',
};

function runTypeOf(attributes: Attributes): RunType {
  for (const name of [
    'langsmith.span.kind',
    'openinference.span.kind',
    'traceloop.span.kind',
    'gen_ai.operation.name',
    'llm.request.type',
  ]) {
    const kind = text(attributes[name])?.toLowerCase();
    if (kind === undefined) continue;
    const known = RunType.safeParse(kind);
    const meant = known.success ? known.data : KINDS[kind];
    if (meant !== undefined) return meant;
  }
  return 'gen_ai.request.model' in attributes ? 'llm' : 'chain';
}

function projectOf(attributes: Attributes, header: string | undefined): Record<string, string> {
  const id = idIn(attributes['langsmith.trace.session_id']);
  if (id !== undefined) return { session_id: id };
  const name = text(attributes['langsmith.trace.session_name']) ?? header;
  return name === undefined ? {} : { session_name: name };
}

function metadataOf(attributes: Attributes): Record<string, unknown> {
  const metadata: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('langsmith.metadata.')) metadata[name.slice('langsmith.metadata.'.length)] = value;
  }
  const model = attributes['gen_ai.response.model'] ?? attributes['gen_ai.request.model'];
  const provider = attributes['gen_ai.system'] ?? attributes['gen_ai.provider.name'];
  if (model !== undefined) metadata.ls_model_name = model;
  if (provider !== undefined) metadata.ls_provider = provider;
  return metadata;
}

function usageOf(attributes: Attributes): Record<string, unknown> | undefined {
  const own = payload(attributes, ['langsmith.usage_metadata']);
  if (own !== undefined) return own;
  const number = (...names: string[]) => {
    for (const name of names) {
      const value = Number(attributes[name] ?? Number.NaN);
      if (Number.isFinite(value)) return value;
    }
    return undefined;
  };
  const input = number('gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.token_count.prompt');
  const output = number(
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
  );
  if (input === undefined && output === undefined) return undefined;
  const total = number('gen_ai.usage.total_tokens', 'llm.usage.total_tokens', 'llm.token_count.total');
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    total_tokens: total ?? (input ?? 0) + (output ?? 0),
  };
}

function failureOf(span: Span): string | undefined {
  const exception = span.events?.find((event) => event.name === 'exception');
  const code = span.status?.code;
  if (code !== 2 && code !== 'STATUS_CODE_ERROR' && exception === undefined) return undefined;
  const details = Object.fromEntries(
    (exception?.attributes ?? []).map(({ key, value }) => [key, plain(value)]),
  );
  return (
    text(details['exception.stacktrace']) ??
    text(details['exception.message']) ??
    (span.status?.message || 'The span ended with an error.')
  );
}

/** An attribute that holds JSON, or plain text. */
function payload(attributes: Attributes, names: readonly string[]): Record<string, unknown> | undefined {
  for (const name of names) {
    const value = attributes[name];
    if (value === undefined || value === null) continue;
    const parsed = typeof value === 'string' ? parseJson(value) : value;
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>;
    return Array.isArray(parsed) ? { messages: parsed } : { value: parsed };
  }
  return undefined;
}

/** Messages spread over attributes: `gen_ai.prompt.0.role`, `gen_ai.prompt.0.content`, … */
function messages(attributes: Attributes, ...prefixes: string[]): Record<string, unknown> | undefined {
  for (const prefix of prefixes) {
    const whole = attributes[prefix];
    if (whole !== undefined) return payload(attributes, [prefix]);
    const list: Record<string, unknown>[] = [];
    for (const [name, value] of Object.entries(attributes)) {
      const match = name.startsWith(`${prefix}.`)
        ? /^(\d{1,4})\.(.+)$/.exec(name.slice(prefix.length + 1))
        : null;
      if (match === null) continue;
      const at = Number(match[1]);
      list[at] ??= {};
      const message = list[at];
      if (message !== undefined) message[(match[2] ?? '').replace(/^message\./, '')] = value;
    }
    if (list.length > 0) return { messages: list.filter((message) => message !== undefined) };
  }
  return undefined;
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

function idIn(value: unknown): string | undefined {
  return typeof value === 'string' ? normalId(value) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
