import type { RunStatus } from '../../../../contract/agent-server/runs.ts';
import { isObject, listAt, objectAt } from '../../../../process/objects.ts';
import type { RunMode } from '../../data/run-kwargs.ts';
import type { RunRow } from '../../data/run-store.ts';
import type { StreamedEvent } from '../../runs/run-stream.ts';
import { type Fields, stringAt } from './fields.ts';
import { INTERRUPT, NamespaceMessages } from './namespace-messages.ts';
import type { ProjectedEvent } from './projected-event.ts';

/** All stream modes from which channels of the v2 protocol get their events. */
export const PROTOCOL_MODES = [
  'values',
  'updates',
  'messages-tuple',
  'tools',
  'custom',
  'tasks',
  'checkpoints',
  'extensions',
] as const satisfies readonly RunMode[];

/** An interrupt's ID: LangGraph hashes its namespace. Other keys of `command.resume` are fields of a plain answer. */
const INTERRUPT_ID = /^[0-9a-f]{32}$/;

/** Separates the segments of a namespace in keys. Segments do not contain it. */
const SEPARATOR = '\u001f';

/**
 * Converts the stored events of a run to events of the v2 protocol. The conversion is deterministic, so that
 * events can be numbered without being stored.
 */
export class RunProjection {
  readonly #graphId: string;
  readonly #answered: readonly string[];
  readonly #messages = new Map<string, NamespaceMessages>();
  /** The namespaces of the subgraphs that are running. */
  readonly #open = new Map<string, readonly string[]>();
  /** The IDs of interrupts that have been reported. */
  readonly #interrupts = new Set<string>();
  #interrupted = false;
  #error: string | undefined;

  /** @param answered the interrupts that the run was started to answer. */
  constructor(graphId: string, answered: readonly string[] = []) {
    this.#graphId = graphId;
    this.#answered = answered;
  }

  /** The events of the protocol for a stored event. */
  event({ event, data }: StreamedEvent): ProjectedEvent[] {
    const [mode = '', ...namespace] = event.split('|');
    const body: unknown = JSON.parse(data);
    return [...this.#begin(namespace), ...this.#byMode(mode, namespace, body)];
  }

  /** The events at the end of the run. @param status undefined for a run that was rolled back. */
  end(status: RunStatus | undefined): ProjectedEvent[] {
    const terminal = this.#terminal(status);
    const events = [...this.#messages].flatMap(([key, messages]) =>
      messages.finish().map((data) => ({ method: 'messages', namespace: split(key), data })),
    );
    const open = [...this.#open.values()].toReversed();
    this.#open.clear();
    return [
      ...events,
      ...open.map((namespace) => lifecycle(namespace, { event: terminal, graph_name: nameOf(namespace) })),
      lifecycle([], {
        event: terminal,
        graph_name: this.#graphId,
        ...(this.#error === undefined ? {} : { error: this.#error }),
      }),
    ];
  }

  #projectStart({ attempt }: Fields): ProjectedEvent[] {
    const first = attempt === undefined || attempt === 1;
    const data = { event: first ? 'started' : 'running', graph_name: this.#graphId };
    const interrupt_ids = this.#answered;
    return [
      ...(first && interrupt_ids.length > 0
        ? [{ method: 'input.answered', namespace: [], data: { interrupt_ids } }]
        : []),
      lifecycle([], data),
    ];
  }

  #terminal(status: RunStatus | undefined): 'completed' | 'failed' | 'interrupted' {
    if (status === 'error' || status === 'timeout') return 'failed';
    return status === 'success' && !this.#interrupted ? 'completed' : 'interrupted';
  }

  #byMode(mode: string, namespace: string[], body: unknown): ProjectedEvent[] {
    // Both come from the mode `messages-tuple`: the chunks of messages, and LangGraph's own events of the protocol.
    if (mode === 'messages' && Array.isArray(body)) return this.#message(namespace, body);
    if (mode === 'message-events' && Array.isArray(body)) return messageEvent(namespace, body);
    if (mode === 'values') {
      // Values with interrupts arrive when a task asks, while others may still be writing.
      const updated = isObject(body) && INTERRUPT in body ? [INTERRUPT] : undefined;
      return [...this.#finishMessages(namespace, updated), ...this.#values(namespace, body)];
    }
    if (mode === 'custom') return [{ method: 'custom', namespace, data: custom(body) }];
    if (!isObject(body)) return [];
    switch (mode) {
      case 'metadata':
        return this.#projectStart(body);
      case 'updates':
        return [...this.#finishMessages(namespace, Object.keys(body)), ...this.#updates(namespace, body)];
      case 'extensions':
        return [{ method: 'custom', namespace, data: body }];
      case 'tools':
        return [{ method: 'tools', namespace, data: tool(body) }];
      case 'tasks':
        return [{ method: 'tasks', namespace, data: body }, ...this.#endOfTask(namespace, body)];
      case 'checkpoints':
        return [{ method: 'checkpoints', namespace, data: checkpoint(body) }];
      case 'error':
        this.#error = stringAt(body, 'message') ?? 'The run failed.';
        return [];
      default:
        // No channel of the protocol has events of the other modes.
        return [];
    }
  }

  /** Reports that a subgraph and its parents have started, at the first event in its namespace. */
  #begin(namespace: readonly string[]): ProjectedEvent[] {
    const events: ProjectedEvent[] = [];
    for (let depth = 1; depth <= namespace.length; depth++) {
      const inner = namespace.slice(0, depth);
      const key = inner.join(SEPARATOR);
      if (this.#open.has(key)) continue;
      this.#open.set(key, inner);
      events.push(lifecycle(inner, { event: 'started', graph_name: nameOf(inner) }));
    }
    return events;
  }

  /** Reports the end of a subgraph, which is the end of its task. */
  #endOfTask(namespace: readonly string[], body: Fields): ProjectedEvent[] {
    if (!('result' in body) && !('error' in body)) return [];
    const inner = [...namespace, `${String(body.name)}:${String(body.id)}`];
    const key = inner.join(SEPARATOR);
    const ended = [...this.#open].filter(
      ([other]) => other === key || other.startsWith(`${key}${SEPARATOR}`),
    );
    const event =
      body.error != null ? 'failed' : listAt(body, 'interrupts').length > 0 ? 'interrupted' : 'completed';
    return ended.toReversed().flatMap(([other, path]) => {
      this.#open.delete(other);
      return [...this.#finishMessages(path), lifecycle(path, { event, graph_name: nameOf(path) })];
    });
  }

  #values(namespace: string[], body: unknown): ProjectedEvent[] {
    if (!isObject(body)) return [{ method: 'values', namespace, data: body }];
    const { [INTERRUPT]: interrupts, ...values } = body;
    return [{ method: 'values', namespace, data: values }, ...this.#requests(namespace, interrupts)];
  }

  #updates(namespace: string[], body: Fields): ProjectedEvent[] {
    return Object.entries(body).flatMap(([node, values]) =>
      node === INTERRUPT
        ? this.#requests(namespace, values)
        : [{ method: 'updates', namespace, data: { node, values } }],
    );
  }

  /** Reports interrupts, each only once. */
  #requests(namespace: readonly string[], interrupts: unknown): ProjectedEvent[] {
    if (!Array.isArray(interrupts)) return [];
    this.#interrupted = true;
    return interrupts.filter(isObject).flatMap((interrupt) => {
      const id = stringAt(interrupt, 'id') ?? stringAt(interrupt, 'interrupt_id') ?? '';
      // Interrupts without an ID cannot be told apart, so each of them is reported.
      if (id !== '' && this.#interrupts.has(id)) return [];
      this.#interrupts.add(id);
      return [
        {
          method: 'input.requested',
          namespace,
          data: { interrupt_id: id, payload: interrupt.value ?? null },
        },
      ];
    });
  }

  #message(namespace: readonly string[], [message, metadata]: readonly unknown[]): ProjectedEvent[] {
    if (!isObject(message)) return [];
    const key = namespace.join(SEPARATOR);
    const messages = this.#messages.get(key) ?? new NamespaceMessages();
    this.#messages.set(key, messages);
    const known = isObject(metadata) ? metadata : {};
    return messages.add(message, known).map((data) => ({ method: 'messages', namespace, data }));
  }

  /** @param updated see `NamespaceMessages.finish`. */
  #finishMessages(namespace: readonly string[], updated?: readonly string[]): ProjectedEvent[] {
    const finished = this.#messages.get(namespace.join(SEPARATOR))?.finish(updated) ?? [];
    return finished.map((data) => ({ method: 'messages', namespace, data }));
  }
}

/**
 * The projection of a run's events, with the IDs of the interrupts that the run answers, if `command.resume` names
 * them.
 */
export function projectionOf(run: RunRow): RunProjection {
  const kwargs: unknown = JSON.parse(run.kwargs);
  const resume = isObject(kwargs) ? objectAt(kwargs, 'command').resume : undefined;
  const ids = isObject(resume) ? Object.keys(resume).filter((key) => INTERRUPT_ID.test(key)) : [];
  return new RunProjection(run.graph_id, ids);
}

function lifecycle(namespace: readonly string[], data: Fields): ProjectedEvent {
  return { method: 'lifecycle', namespace, data };
}

/** A message event that is already in the format of the protocol; the model's run ID distinguishes concurrent messages. */
function messageEvent(namespace: readonly string[], [event, metadata]: readonly unknown[]): ProjectedEvent[] {
  if (!isObject(event)) return [];
  const run = isObject(metadata) ? stringAt(metadata, 'run_id') : undefined;
  const data = { ...event, ...(run === undefined ? {} : { run_id: run }) };
  return [{ method: 'messages', namespace, data }];
}

/** The name of a subgraph's node; a segment is `node:task`. */
function nameOf(namespace: readonly string[]): string {
  return (namespace.at(-1) ?? '').split(':', 1)[0] ?? '';
}

function split(key: string): string[] {
  return key === '' ? [] : key.split(SEPARATOR);
}

/** A custom event. If its node has given it a name, it is also in the channel `custom:<name>`. */
function custom(body: unknown): Fields {
  if (!isObject(body) || typeof body.name !== 'string') return { payload: body };
  return 'payload' in body ? body : { name: body.name, payload: body };
}

/** The arguments of a call. LangGraph.js has them as JSON text, which Python clients do not parse. */
function argumentsOf(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  try {
    const parsed: unknown = JSON.parse(input);
    return isObject(parsed) ? parsed : input;
  } catch {
    return input;
  }
}

/** A tool event. LangGraph for Python uses the protocol's names, LangGraph.js its own. Unknown events are unchanged. */
function tool(body: Fields): Fields {
  const tool_call_id = stringAt(body, 'toolCallId') ?? stringAt(body, 'tool_call_id') ?? '';
  switch (body.event) {
    case 'on_tool_start':
      return { event: 'tool-started', tool_call_id, tool_name: body.name, input: argumentsOf(body.input) };
    case 'on_tool_event':
      return { event: 'tool-output-delta', tool_call_id, delta: textOf(body.data) };
    case 'on_tool_error': {
      const message = isObject(body.error) ? stringAt(body.error, 'message') : body.error;
      return { event: 'tool-error', tool_call_id, message: String(message ?? 'The tool failed.') };
    }
    case 'on_tool_end':
      return { event: 'tool-finished', tool_call_id, output: body.output };
    default:
      return body;
  }
}

function textOf(delta: unknown): string {
  return typeof delta === 'string' ? delta : JSON.stringify(delta ?? null);
}

function checkpoint(body: Fields): Fields {
  const metadata = objectAt(body, 'metadata');
  const idIn = (config: Fields) => stringAt(objectAt(config, 'configurable'), 'checkpoint_id');
  const parent = idIn(objectAt(body, 'parent_config')) ?? idIn(objectAt(body, 'parentConfig'));
  return {
    id: idIn(objectAt(body, 'config')) ?? stringAt(objectAt(body, 'checkpoint'), 'id') ?? '',
    ...(parent === undefined ? {} : { parent_id: parent }),
    step: metadata.step ?? -1,
    source: metadata.source ?? 'loop',
  };
}
