import { FailedRun } from '../../../../contract/agent-server/runs.ts';
import { JsonObject } from '../../../../contract/fields.ts';
import type { RunOutcome } from '../../runs/live-run.ts';

/** The result of a failed call, which the caller's model reads. */
export function toolError(text: string): object {
  return { content: [{ type: 'text', text }], isError: true };
}

/**
 * The result of a call whose run has ended.
 * @param keptThread the thread that the caller wants to keep, if any.
 */
export function toolResult(
  { error, values }: Pick<RunOutcome, 'error' | 'values'>,
  keptThread: string | undefined,
): object {
  if (error !== undefined) return toolError(`${error.error}: ${error.message}`);
  const text = values ?? '{}';
  const structured = JsonObject.safeParse(JSON.parse(text)).data;
  if (structured === undefined) return { content: [{ type: 'text', text }], isError: false };
  if (keptThread === undefined || 'thread_id' in structured) {
    return { content: [{ type: 'text', text }], structuredContent: structured, isError: false };
  }
  const structuredContent = { ...structured, thread_id: keptThread };
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    isError: false,
  };
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
export function outcomeOfAnswer(text: string): Pick<RunOutcome, 'error' | 'values'> {
  const failed = text.includes('"__error__"') ? FailedRun.safeParse(JSON.parse(text)).data : undefined;
  return failed === undefined ? { values: text } : { values: null, error: failed.__error__ };
}
