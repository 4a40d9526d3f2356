import { modelOf } from '../client/span-contents.ts';
import { objectAt } from '../process/objects.ts';
import type { MessagePart } from '../terms/message-parts.ts';
import type { Message } from '../terms/messages.ts';
import { readPayload } from '../terms/payload.ts';
import type { ExportedRun } from './exported-run.ts';
import { metadataAttributes } from './otlp-values.ts';

const OPERATIONS: Readonly<Record<string, string>> = {
  llm: 'chat',
  embedding: 'embeddings',
  tool: 'execute_tool',
  retriever: 'retrieval',
};
const ROLES = { human: 'user', ai: 'assistant', system: 'system', tool: 'tool', other: undefined } as const;

/**
 * Converts a run to attributes. LangSmith's attributes have what an import needs to restore the run, and
 * those of the GenAI conventions are for other programs.
 */
export function runAttributes(run: ExportedRun): Record<string, unknown> {
  const metadata = objectAt(run.extra ?? {}, 'metadata');
  const isCall = run.run_type === 'llm';
  const model = modelOf({ extra: run.extra });
  return {
    'langsmith.span.id': run.id,
    'langsmith.trace.id': run.trace_id,
    'langsmith.span.parent_id': run.parent_run_id ?? undefined,
    'langsmith.span.dotted_order': run.dotted_order,
    'langsmith.span.kind': run.run_type,
    'langsmith.span.tags': run.tags?.length ? run.tags : undefined,
    'langsmith.inputs': textOf(run.inputs),
    'langsmith.outputs': textOf(run.outputs),
    ...usageAttributes(run),
    ...metadataAttributes(metadata),
    'gen_ai.operation.name': OPERATIONS[run.run_type ?? ''],
    'gen_ai.provider.name': isCall ? metadata.ls_provider : undefined,
    'gen_ai.request.model': isCall ? model : undefined,
    'gen_ai.tool.name': run.run_type === 'tool' ? run.name : undefined,
    'gen_ai.input.messages': isCall ? messagesOf(run.inputs) : undefined,
    'gen_ai.output.messages': isCall ? messagesOf(run.outputs) : undefined,
  };
}

/** The tokens of a model call. Other runs get none, because their sums include the runs below them. */
function usageAttributes(run: ExportedRun): Record<string, unknown> {
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = run;
  if ((run.run_type !== 'llm' && run.run_type !== 'embedding') || !total) return {};
  const own = objectAt(objectAt(run.extra ?? {}, 'metadata'), 'usage_metadata');
  const usage = {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    total_tokens: total,
    ...(run.prompt_token_details ? { input_token_details: run.prompt_token_details } : {}),
    ...(run.completion_token_details ? { output_token_details: run.completion_token_details } : {}),
    ...own,
  };
  return {
    'langsmith.usage_metadata': JSON.stringify(usage),
    'gen_ai.usage.input_tokens': input ?? 0,
    'gen_ai.usage.output_tokens': output ?? 0,
  };
}

/** @returns JSON text; undefined without messages */
function messagesOf(payload: unknown): string | undefined {
  const { messages } = readPayload(payload);
  return messages.length === 0 ? undefined : JSON.stringify(messages.map(genAiMessage));
}

function genAiMessage({ role, writtenRole, toolCallId, parts }: Message): object {
  const isResult = role === 'tool' && parts.every(({ kind }) => kind !== 'result');
  return {
    role: ROLES[role] ?? writtenRole,
    parts: isResult
      ? [{ type: 'tool_call_response', ...(toolCallId ? { id: toolCallId } : {}), response: textIn(parts) }]
      : parts.map(genAiPart),
  };
}

function genAiPart(part: MessagePart): object {
  switch (part.kind) {
    case 'text':
      return { type: 'text', content: part.text };
    case 'reasoning':
      return { type: 'reasoning', content: part.text };
    case 'call':
      return {
        type: 'tool_call',
        ...(part.id ? { id: part.id } : {}),
        name: part.name,
        arguments: part.args,
      };
    case 'result':
      return {
        type: 'tool_call_response',
        ...(part.id ? { id: part.id } : {}),
        response: textIn(part.parts),
      };
    case 'file':
      return part.block;
    case 'json':
      return { type: 'json', content: part.value };
  }
}

function textIn(parts: readonly MessagePart[]): unknown {
  const [only, ...others] = parts;
  return only?.kind === 'text' && others.length === 0 ? only.text : parts.map(genAiPart);
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}
