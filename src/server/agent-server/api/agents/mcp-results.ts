import { FailedRun } from '../../../../contract/agent-server/runs.ts';
import { JsonObject } from '../../../../contract/fields.ts';
import type { RunOutcome } from '../../runs/live-run.ts';
import type { CallRecord } from './mcp-call-store.ts';

/** How the newest run of a call has ended. */
export type CallOutcome = Pick<RunOutcome, 'error' | 'values'>;

/** The result of a failed call, which the caller's model reads. */
export function toolError(text: string): object {
  return { content: [{ type: 'text', text }], isError: true };
}

/**
 * The result of a call whose run has ended.
 * @param call the thread, which the result names if the caller keeps it.
 */
export function toolResult(
  { error, values }: CallOutcome,
  call: { readonly record: Pick<CallRecord, 'kept'>; readonly threadId: string },
): object {
  if (error !== undefined) return toolError(`${error.error}: ${error.message}`);
  const text = values ?? '{}';
  const structured = JsonObject.safeParse(JSON.parse(text)).data;
  if (structured === undefined) return { content: [{ type: 'text', text }], isError: false };
  if (!call.record.kept || 'thread_id' in structured) {
    return { content: [{ type: 'text', text }], structuredContent: structured, isError: false };
  }
  const structuredContent = { ...structured, thread_id: call.threadId };
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    isError: false,
  };
}

/** The values of a run that has stopped at an interrupt; undefined for any other outcome. */
export function interruptedValues({ error, values }: CallOutcome): JsonObject | undefined {
  const reached = JsonObject.safeParse(JSON.parse(values ?? '{}')).data;
  return error === undefined && reached !== undefined && '__interrupt__' in reached ? reached : undefined;
}

/**
 * The result of a call that waits for an answer. Models can only pass arguments, so the text explains how to
 * pass the answer as an argument.
 */
export function waitingResult(values: JsonObject, threadId: string): object {
  const again = { __resume__: { thread_id: threadId, value: '<your answer>' } };
  const how =
    'The run is waiting for an answer to `__interrupt__`. To continue, call this tool again with only these arguments: ' +
    `${JSON.stringify(again)}. The answer can be any JSON.`;
  const structuredContent = { ...values, __resume__: { thread_id: threadId, how } };
  return {
    content: [
      { type: 'text', text: JSON.stringify(structuredContent) },
      { type: 'text', text: how },
    ],
    structuredContent,
    isError: false,
  };
}

/** Reads how a run ended from the response to waiting for it. */
export function outcomeOfAnswer(text: string): CallOutcome {
  const failed = text.includes('"__error__"') ? FailedRun.safeParse(JSON.parse(text)).data : undefined;
  return failed === undefined ? { values: text } : { values: null, error: failed.__error__ };
}
