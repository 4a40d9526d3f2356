import type { HistoryEntry } from '../../../extension/panels/run/messages.ts';

/**
 * Sorts the states of a thread for reading: each input is followed by its steps in order, and the input with the newest
 * step comes first.
 * @param entries newest first
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
