import { BRANCH, ROOT, SENDS } from '../langgraph/channel-names.ts';
import { isRecord } from '../langgraph-types.ts';
import { toJsonText } from '../link/wire-format.ts';

/** One write of a task: the channel and the value. */
export type ChannelWrite = readonly [channel: string, value: unknown];

const FUNCTION_RESULT = '__end__';

/**
 * The result of a task as readable JSON text: the update of the state, the next nodes, interrupts, and the
 * error. Writes to LangGraph's internal channels are left out.
 */
export function taskResult(writes: readonly ChannelWrite[]): string {
  const { update, goto, interrupts, whole, error } = sortWrites(writes);
  const isRepeated = new Set(update.map(([channel]) => channel)).size < update.length;
  return toJsonText({
    ...(whole !== undefined && { update: whole.value }),
    ...(update.length > 0 && { update: isRepeated ? update : Object.fromEntries(update) }),
    ...(goto.length > 0 && { goto }),
    ...(interrupts.length > 0 && { interrupts }),
    ...(error !== undefined && { error }),
  });
}

interface SortedWrites {
  readonly update: ChannelWrite[];
  readonly goto: unknown[];
  readonly interrupts: unknown[];
  /** The result of a function, or of a graph whose state is one value. */
  whole?: { readonly value: unknown };
  error?: string;
}

function sortWrites(writes: readonly ChannelWrite[]): SortedWrites {
  const sorted: SortedWrites = { update: [], goto: [], interrupts: [] };
  const { update, goto, interrupts } = sorted;
  for (const [channel, value] of writes) {
    if (channel === ROOT || channel === FUNCTION_RESULT) sorted.whole = { value };
    else if (channel === SENDS) goto.push(isRecord(value) ? { node: value.node, input: value.args } : value);
    else if (channel.startsWith(BRANCH)) goto.push(channel.slice(BRANCH.length));
    else if (channel === '__interrupt__') interrupts.push(...interruptValues(value));
    else if (channel === '__error__') sorted.error = errorText(value);
    else if (!/^__|^join:|^branch:/.test(channel)) update.push([channel, value]);
  }
  return sorted;
}

/** The text of an error, or of LangGraph's stored form of one. */
export function errorText(error: unknown): string {
  if (!isRecord(error) || !('message' in error)) return String(error);
  return 'name' in error ? `${String(error.name)}: ${String(error.message)}` : String(error.message);
}

/** The values of interrupts without their IDs, which are new in every run. */
function interruptValues(written: unknown): unknown[] {
  const interrupts: unknown[] = Array.isArray(written) ? written : [written];
  return interrupts.map((interrupt) => (isRecord(interrupt) ? interrupt.value : interrupt));
}
