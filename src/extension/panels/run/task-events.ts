import { isObject } from '../../../process/objects.ts';
import type { JournalEntry } from './journal-entry.ts';
import type { NodeDetails } from './messages.ts';

type TaskEntry = Extract<JournalEntry, { type: 'task' }>;
type Wire = Readonly<Record<string, unknown>>;

/**
 * Turns the `tasks` events of a panel's runs into entries for the diagram, and keeps each node's last input
 * and output.
 */
export class TaskEvents {
  readonly #last = new Map<string, NodeDetails>();
  /** Messages whose tokens have been counted, because a subgraph returns the messages of its nodes again. */
  readonly #counted = new Set<string>();

  /**
   * Reads an event about a node; `undefined` for events of other modes.
   * @param now the time of the panel's clock in milliseconds
   */
  read(runId: string, { event, data }: { event: string; data: unknown }, now: number): TaskEntry | undefined {
    const [mode, ...namespace] = event.split('|');
    if (mode !== 'tasks' || !isObject(data)) return undefined;
    const { id, name, triggers } = data;
    if (typeof id !== 'string' || typeof name !== 'string') return undefined;
    const node = [...namespace.map((segment) => segment.split(':')[0]), name].join(':');
    const phase = phaseOf(data);
    const joins = joinedBy(triggers);
    const call = phase === 'running' ? callIn(data.input) : undefined;
    const tokens = phase === 'running' ? 0 : this.#tokensOf(data.result);
    this.#keep(node, data, phase);
    return {
      type: 'task',
      run_id: runId,
      task_id: id,
      node,
      phase,
      at_ms: Math.round(now),
      ...(namespace.length > 0 && { ns: namespace.join('|') }),
      ...(call !== undefined && { call }),
      ...(joins.length > 0 && { joins }),
      ...(tokens > 0 && { tokens }),
    };
  }

  /** A node's most recent input and output in this panel; inner nodes as `child:model`. */
  last(node: string): NodeDetails | undefined {
    return this.#last.get(node);
  }

  /** Forgets everything, because another thread is shown. */
  clear(): void {
    this.#last.clear();
    this.#counted.clear();
  }

  #keep(node: string, { input, result, error }: Wire, phase: TaskEntry['phase']): void {
    if (phase === 'running') this.#last.set(node, { input });
    else if (phase === 'failed') this.#last.set(node, { ...this.#last.get(node), error: errorText(error) });
    else this.#last.set(node, { ...this.#last.get(node), ...(phase === 'done' && { output: result }) });
  }

  #tokensOf(result: unknown): number {
    let tokens = 0;
    for (const message of messagesIn(result)) {
      const { id, usage_metadata } = message;
      const total = isObject(usage_metadata) ? usage_metadata.total_tokens : undefined;
      if (typeof total !== 'number' || (typeof id === 'string' && this.#counted.has(id))) continue;
      if (typeof id === 'string') this.#counted.add(id);
      tokens += total;
    }
    return tokens;
  }
}

/** The nodes that a task has waited for together, from the name of LangGraph's channel: `join:a+b:c`. */
function joinedBy(triggers: unknown): string[] {
  if (!Array.isArray(triggers)) return [];
  return triggers.flatMap((trigger: unknown) =>
    typeof trigger === 'string' && trigger.startsWith('join:')
      ? (trigger.split(':')[1] ?? '').split('+')
      : [],
  );
}

/**
 * The ID of the tool call that a task was given, if it was given exactly one. LangGraph for Python passes it
 * alone in a list; its later versions (`tool_call`) and LangChain.js (`lg_tool_call`) pass it beside the
 * state.
 */
function callIn(input: unknown): string | undefined {
  const given: unknown[] = Array.isArray(input)
    ? input
    : isObject(input)
      ? [input.lg_tool_call ?? input.tool_call]
      : [];
  const [call] = given;
  return given.length === 1 && isObject(call) && call.type === 'tool_call' && typeof call.id === 'string'
    ? call.id
    : undefined;
}

/** The message of an error in a task's event or state: an object with a message, a text, or other JSON. */
export function errorText(error: unknown): string {
  if (isObject(error) && typeof error.message === 'string') return error.message;
  return typeof error === 'string' ? error : JSON.stringify(error);
}

function phaseOf(data: Wire): TaskEntry['phase'] {
  if (data.error !== null && data.error !== undefined) return 'failed';
  if (!('result' in data)) return 'running';
  return Array.isArray(data.interrupts) && data.interrupts.length > 0 ? 'waiting' : 'done';
}

function messagesIn(result: unknown): readonly Wire[] {
  if (!isObject(result) || !Array.isArray(result.messages)) return [];
  return result.messages.filter(isObject);
}
