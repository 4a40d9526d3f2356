import type { Interrupt } from '../../extension/panels/run/journal-entry.ts';
import { isDictionary } from '../../terms/fields.ts';

/** The interrupts that an event contains; LangGraph wraps the payload of an interrupt; other servers send it unwrapped. */
export function readInterrupts(value: unknown): Interrupt[] {
  if (!Array.isArray(value)) return [];
  return value.map((item) =>
    isDictionary(item) && 'value' in item
      ? { id: typeof item.id === 'string' ? item.id : undefined, value: item.value }
      : { value: item },
  );
}
