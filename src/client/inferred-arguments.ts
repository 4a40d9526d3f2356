import { isDictionary, saysNothing } from '../terms/fields.ts';
import type { MessagePart } from '../terms/message-parts.ts';
import { readPayload } from '../terms/payload.ts';
import { millisecondsOf } from '../terms/times.ts';
import type { Client } from './client.ts';
import type { CallOptions } from './transport.ts';

/** A span of the same trace as a tool. */
export interface SpanAround {
  readonly id: string;
  readonly name: string;
  readonly run_type: string;
  readonly start_time: string;
}

/** The maximum number of spans before a tool that are read. */
const MAX_SPANS = 100;
/**
 * The maximum number of model calls before a tool that are searched for the call that requested the tool.
 */
const MAX_CALLS = 5;

/** The fields of a tool's span that say which tool call of a model the tool carries out. */
interface ToolSpan {
  readonly id: string;
  readonly inputs?: unknown;
  readonly extra?: unknown;
}

/** Whether the arguments of a tool have to be inferred: its span came over OpenTelemetry without any. */
export function lacksArguments({ inputs, extra }: ToolSpan): boolean {
  return saysNothing(inputs) && isDictionary(extra) && isDictionary(extra.otel);
}

/**
 * Finds the arguments of a tool whose span lacks them, in the message of the model that called it.
 * @param outputsOf the outputs of model calls, by the ids of their spans
 * @returns undefined when no message has them
 */
export function inferArguments(
  spans: readonly SpanAround[],
  tool: ToolSpan,
  outputsOf: (id: string) => unknown,
): unknown {
  const span = spans.find(({ id }) => id === tool.id);
  if (span === undefined) return undefined;
  const name = toolName(span, tool.extra);
  const callId = attribute(tool.extra, 'gen_ai.tool.call.id');
  for (const call of callsBefore(spans, span)) {
    const asked = readPayload(outputsOf(call.id)).messages.flatMap(({ parts }) =>
      parts.flatMap((part: MessagePart) => (part.kind === 'call' ? [part] : [])),
    );
    const byId = callId === undefined ? undefined : asked.find(({ id }) => id === callId);
    // If a model called the tool several times, the calls were carried out in their order in the message.
    const before = spans.filter(
      (other) =>
        other.run_type === 'tool' &&
        isWithin(other, call, span) &&
        other !== span &&
        toolName(other, undefined) === name,
    ).length;
    const found = byId ?? asked.filter((part) => part.name === name)[before];
    if (found !== undefined) return found.args;
  }
  return undefined;
}

/**
 * Infers the arguments of a tool whose span is viewed alone: reads the spans before it.
 * @returns undefined when no message has them
 * @throws RequestError
 */
export async function readInferredArguments(
  { tracing }: Pick<Client, 'tracing'>,
  tool: ToolSpan & { readonly trace_id: string; readonly start_time: string },
  options: CallOptions = {},
): Promise<unknown> {
  const filter = `and(in(run_type, ["llm", "tool"]), lte(start_time, ${JSON.stringify(tool.start_time)}))`;
  const select = ['id', 'name', 'run_type', 'start_time'];
  const body = { trace: tool.trace_id, filter, select, order: 'desc', limit: MAX_SPANS } as const;
  const found = await tracing.runs.query({ body }, options);
  const spans = found.runs.flatMap(({ id, name = '', run_type = '', start_time = '' }) =>
    id === undefined ? [] : [{ id, name, run_type, start_time }],
  );
  const span = spans.find(({ id }) => id === tool.id);
  const id = span === undefined ? [] : callsBefore(spans, span).map((call) => call.id);
  if (id.length === 0) return undefined;
  const { runs } = await tracing.runs.query({ body: { id, select: ['id', 'outputs'] } }, options);
  const outputs = new Map(runs.map((run) => [run.id, run.outputs]));
  return inferArguments(spans, tool, (call) => outputs.get(call));
}

/** Model calls that began before a tool, the latest first. */
function callsBefore(spans: readonly SpanAround[], tool: SpanAround): SpanAround[] {
  return spans
    .filter((span) => span.run_type === 'llm' && startOf(span) <= startOf(tool))
    .sort((a, b) => startOf(b) - startOf(a))
    .slice(0, MAX_CALLS);
}

function isWithin(other: SpanAround, call: SpanAround, tool: SpanAround): boolean {
  return startOf(other) >= startOf(call) && startOf(other) < startOf(tool);
}

function startOf({ start_time }: SpanAround): number {
  return millisecondsOf(start_time) ?? 0;
}

function toolName({ name }: SpanAround, extra: unknown): string {
  return attribute(extra, 'gen_ai.tool.name') ?? name.replace(/^execute_tool /, '');
}

function attribute(extra: unknown, name: string): string | undefined {
  const value = isDictionary(extra) && isDictionary(extra.otel) ? extra.otel[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
