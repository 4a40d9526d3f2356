import type { Interrupt } from '../../extension/panels/run/journal-entry.ts';
import { isDictionary } from '../../terms/fields.ts';

/** Reads the interrupts in an event. LangGraph wraps their payloads in `value`; other servers may send them unwrapped. */
export function readInterrupts(value: unknown): Interrupt[] {
  if (!Array.isArray(value)) return [];
  return value.map((item) =>
    isDictionary(item) && 'value' in item
      ? { id: typeof item.id === 'string' ? item.id : undefined, value: item.value }
      : { value: item },
  );
}
