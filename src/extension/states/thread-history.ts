import * as l10n from '@vscode/l10n';
import type { ThreadState } from '../../contract/agent-server/threads.ts';
import { isObject } from '../../process/objects.ts';
import { readMessage, textOf } from '../../terms/messages.ts';
import { lineOf } from '../wording/titles.ts';
import { checkpointIdOf, parentIdOf, runIdOf } from './checkpoint-ids.ts';

/** A state of a thread, as the history shows it. */
export interface HistoryEntry {
  readonly checkpoint_id: string;
  readonly parent_id: string | undefined;
  readonly source: 'input' | 'loop' | 'update' | 'fork';
  readonly step: number;
  /** The nodes that wrote it; empty if its parent is unknown. */
  readonly nodes: readonly string[];
  /** The nodes that run next. */
  readonly next: readonly string[];
  /** Whether interrupts wait for answers. */
  readonly waits: boolean;
  readonly created_at: string | undefined;
  /** The run that wrote it, if the server reports it. */
  readonly run_id?: string | undefined;
  /** For an input: the text of its human message. */
  readonly message?: string | undefined;
}

/**
 * The history of a thread from its states, newest first. States without an ID are left out, because nothing
 * can return to them.
 */
export function entriesOf(states: readonly ThreadState[]): HistoryEntry[] {
  const byId = new Map(states.map((state) => [checkpointIdOf(state), state]));
  const byParent = new Map(states.map((state) => [parentIdOf(state), state]));
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
        // The previous state named these nodes as the next ones.
        nodes: (parent?.next ?? []).filter((node) => node !== '__start__'),
        next,
        waits: tasks.some(({ interrupts }) => (interrupts?.length ?? 0) > 0),
        created_at: created_at ?? undefined,
        run_id: runIdOf(state),
        // The checkpoint of an input does not contain it yet; the one after it does.
        ...(metadata?.source === 'input' && { message: lastHumanMessage(byParent.get(checkpoint_id)) }),
      },
    ];
  });
}

/**
 * The checkpoint from which an edited message can be sent again: the one before its input.
 * @param from the checkpoint that is shown, by default the newest; later ones are not searched.
 * @returns `undefined` if no state has the message, or none from before it is known
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

/** The name of a state in the titles of editors. */
export function stepName({ metadata }: ThreadState): string {
  return l10n.t('Step {0}', typeof metadata?.step === 'number' ? metadata.step : '–');
}

/** The text of the last human message, on one line. */
function lastHumanMessage(state: ThreadState | undefined): string | undefined {
  const human = messagesIn(state)
    .map(readMessage)
    .findLast((message) => message?.role === 'human');
  return human && lineOf(textOf(human));
}

function hasMessage(state: ThreadState, id: string): boolean {
  return messagesIn(state).some((message) => isObject(message) && message.id === id);
}

function messagesIn(state: ThreadState | undefined): readonly unknown[] {
  const values = state?.values;
  return isObject(values) && Array.isArray(values.messages) ? values.messages : [];
}

/** The source of a state. Any other value counts as `loop`: a running graph wrote the state. */
export function sourceOf(source: unknown): HistoryEntry['source'] {
  return source === 'input' || source === 'update' || source === 'fork' ? source : 'loop';
}
