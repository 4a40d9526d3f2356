import * as l10n from '@vscode/l10n';
import { z } from 'zod';
import type { ThreadState } from '../../contract/agent-server/threads.ts';
import { checkpointIdOf, parentIdOf, runIdOf } from './checkpoint-ids.ts';

/** A state that the thread has gone through. */
export interface HistoryEntry {
  readonly checkpoint_id: string;
  readonly parent_id: string | undefined;
  readonly source: 'input' | 'loop' | 'update' | 'fork';
  readonly step: number;
  /** The nodes that made it. */
  readonly nodes: readonly string[];
  readonly next: readonly string[];
  readonly waits: boolean;
  readonly created_at: string | undefined;
  /** The run that made it, where the server says so. */
  readonly run_id?: string | undefined;
  /** The human message, when the input is one. */
  readonly message?: string | undefined;
}

/** The states of a thread, newest first, as its entries; states without an id cannot be gone back to. */
export function entriesOf(states: readonly ThreadState[]): HistoryEntry[] {
  const byId = new Map(states.map((state) => [checkpointIdOf(state), state]));
  // The state after an input is the first that holds it.
  const after = new Map(states.map((state) => [parentIdOf(state), state]));
  return states.flatMap((state): HistoryEntry[] => {
    const checkpoint_id = checkpointIdOf(state);
    if (checkpoint_id === undefined) return [];
    const parent_id = parentIdOf(state);
    const parent = parent_id === undefined ? undefined : byId.get(parent_id);
    const { metadata, next, tasks, created_at } = state;
    return [
      {
        checkpoint_id,
        parent_id,
        source: sourceOf(metadata?.source),
        step: typeof metadata?.step === 'number' ? metadata.step : 0,
        // The nodes that made a state are those that the state before it named as next.
        nodes: (parent?.next ?? []).filter((node) => node !== '__start__'),
        next,
        waits: tasks.some(({ interrupts }) => (interrupts?.length ?? 0) > 0),
        created_at: created_at ?? undefined,
        run_id: runIdOf(state),
        ...(metadata?.source === 'input' && { message: lastMessage(after.get(checkpoint_id)) }),
      },
    ];
  });
}

/**
 * The state of a thread before a message came: the state before the input that brought it.
 * @param from the checkpoint that is shown; only it and what is before it is looked at.
 * @returns `undefined` when no state there has the message.
 */
export function checkpointBefore(
  states: readonly ThreadState[],
  from: string | undefined,
  messageId: string,
): string | undefined {
  const byId = new Map(states.map((state) => [checkpointIdOf(state), state]));
  let state = from === undefined ? states[0] : byId.get(from);
  let first: ThreadState | undefined;
  while (state !== undefined) {
    if (hasMessage(state, messageId)) first = state;
    else if (first !== undefined) break;
    const parent = parentIdOf(state);
    state = parent === undefined ? undefined : byId.get(parent);
  }
  if (first === undefined || state === undefined) return undefined;
  // A state that contains only a new input cannot be continued from, unless it is the first.
  const before = state.metadata?.source === 'input' ? parentIdOf(state) : undefined;
  return before ?? checkpointIdOf(state);
}

/** The name of a step in the titles of editors. */
export function stepName({ metadata }: ThreadState): string {
  return l10n.t('Step {0}', typeof metadata?.step === 'number' ? metadata.step : '–');
}

/** More of a message is in the state itself. */
const MAX_MESSAGE_LENGTH = 120;

const Said = z.looseObject({
  messages: z.array(z.looseObject({ type: z.string(), content: z.unknown() })),
});
const TextBlock = z.looseObject({ type: z.literal('text'), text: z.string() });

/** The last that a person wrote, on one line. */
function lastMessage(state: ThreadState | undefined): string | undefined {
  const said = Said.safeParse(state?.values).data?.messages.findLast(({ type }) => /^human/i.test(type));
  if (said === undefined) return undefined;
  const blocks = Array.isArray(said.content) ? said.content : [{ type: 'text', text: said.content }];
  const text = blocks.flatMap((block) => TextBlock.safeParse(block).data?.text ?? []).join(' ');
  const line = text.trim().replace(/\s+/g, ' ');
  return line === '' ? undefined : line.slice(0, MAX_MESSAGE_LENGTH);
}

function hasMessage({ values }: ThreadState, id: string): boolean {
  if (typeof values !== 'object' || values === null || !('messages' in values)) return false;
  const { messages } = values;
  return (
    Array.isArray(messages) &&
    messages.some(
      (message: unknown) =>
        typeof message === 'object' && message !== null && 'id' in message && message.id === id,
    )
  );
}

export function sourceOf(source: unknown): HistoryEntry['source'] {
  return source === 'input' || source === 'update' || source === 'fork' ? source : 'loop';
}
