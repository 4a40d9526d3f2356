import type { HistoryEntry } from '../../../extension/panels/run/messages.ts';

/**
 * The states of a thread in reading order: each input with its steps below, in order; the input that was continued
 * last comes first.
 * @param entries newest first.
 */
export function inReadingOrder(entries: readonly HistoryEntry[]): HistoryEntry[] {
  const inputs = new Map<string, string>();
  for (const { checkpoint_id, parent_id, source } of entries.toReversed()) {
    const input = source === 'input' || parent_id === undefined ? undefined : inputs.get(parent_id);
    inputs.set(checkpoint_id, input ?? checkpoint_id);
  }
  const byInput = Map.groupBy(entries, ({ checkpoint_id }) => inputs.get(checkpoint_id));
  return [...byInput.values()].flatMap((steps) => steps.toReversed());
}
