import type { z } from 'zod';
import { Interrupted, RunEvent } from '../contract/agent-server/run-events.ts';
import type { Interrupt } from '../contract/agent-server/threads.ts';
import type { ServerEvent } from './event-stream.ts';

/** Parses an event of a run's stream; an unknown or malformed one becomes kind `other`. */
export function readRunEvent({ id, event, data }: ServerEvent): RunEvent {
  const [kind = '', ...namespace] = event.split('|');
  const envelope = { ...(id === undefined ? {} : { id }), event, namespace };
  const read = RunEvent.safeParse({ ...envelope, kind, data });
  return read.success ? read.data : { ...envelope, kind: 'other', data };
}

/** The interrupts in an event; most events have none. */
export function interruptsOf(event: RunEvent): z.output<typeof Interrupt>[] {
  if (event.kind !== 'updates' && event.kind !== 'values') return [];
  const read = Interrupted.safeParse(event.data);
  return read.success ? read.data.__interrupt__ : [];
}
