import type { StreamEvent } from '../../extension/panels/run/journal-entry.ts';
import { isDictionary } from '../../terms/fields.ts';
import type { Writer } from './answers.ts';
import type { Conversation, Place } from './conversation.ts';
import { messagesOf, readMessage } from './messages.ts';
import { readInterrupts } from './read-interrupts.ts';
import type { TranscriptDraft } from './transcript-draft.ts';
import { withFiles, withUpdate, workOf } from './working-state.ts';

/** Adds an event of the stream of a run. */
export function applyEvent(draft: TranscriptDraft, { event, data }: StreamEvent, runId: string): void {
  const [mode, ...namespace] = event.split('|');
  const place = draft.graph.at(namespace);
  if (namespace.length > 0 && applyInner(draft, mode, place, data)) return;
  switch (mode) {
    case 'messages':
      if (Array.isArray(data)) applyChunk(draft, namespace, data);
      break;
    case 'updates':
      applyUpdates(draft, data);
      break;
    case 'values':
      applyValues(draft, data);
      break;
    case 'custom':
      place.conversation.rows.push({ kind: 'custom', value: data });
      break;
    case 'error': {
      const error = isDictionary(data) ? data : {};
      const name = typeof error.error === 'string' ? error.error : 'Error';
      const message = typeof error.message === 'string' ? error.message : JSON.stringify(data);
      draft.rows.push({ kind: 'error', runId, name, message });
      break;
    }
    case undefined:
      break;
    default:
      draft.rows.push({ kind: 'event', mode, value: data });
  }
}

/** Adds the steps of inner graphs. @returns whether the event needs no further handling */
function applyInner(
  draft: TranscriptDraft,
  mode: string | undefined,
  { conversation, rest }: Place,
  data: unknown,
): boolean {
  // The state and the interrupts of an inner graph also come with those of the outer graph.
  if (mode === 'values') return true;
  if (mode !== 'updates') return false;
  if (conversation === draft.graph || rest.length > 0) applySubgraph(conversation, rest, data);
  else applySubagent(draft, conversation, data);
  return true;
}

function applyChunk(
  draft: TranscriptDraft,
  namespace: readonly string[],
  [value, metadata]: readonly unknown[],
): void {
  const message = readMessage(value);
  if (message === undefined) return;
  const path = pathOf(metadata);
  // A model that a tool calls belongs to the tool's task. The result of the tool belongs to the graph that called it.
  const ns = message.role === 'ai' && path.length > 0 ? path : namespace;
  const { conversation, rest } = draft.graph.at(ns);
  const writer = writerOf(metadata, path.slice(ns.length - rest.length));
  if (conversation === draft.graph) draft.change({ hasMessages: true });
  if (message.role === 'ai') conversation.messages.putPiece(message, writer);
  else conversation.messages.put(message, writer.node);
}

function applyUpdates(draft: TranscriptDraft, data: unknown): void {
  if (!isDictionary(data)) return;
  for (const [node, update] of Object.entries(data)) {
    if (node === '__interrupt__') {
      draft.interrupt(readInterrupts(update));
      continue;
    }
    for (const part of partsOf(update)) {
      for (const message of messagesOf(part)) draft.putMessage(message, node);
      draft.change({ work: withUpdate(draft.state.work, part) });
    }
    draft.rows.push({ kind: 'step', node, update });
  }
}

function applySubgraph(conversation: Conversation, namespace: readonly string[], data: unknown): void {
  if (!isDictionary(data)) return;
  const path = namespace.map((segment) => segment.split(':')[0]);
  for (const [node, update] of Object.entries(data)) {
    if (node === '__interrupt__') continue;
    // Streamed messages are now complete. They may never get into the state of the graph itself.
    for (const message of partsOf(update).flatMap(messagesOf)) {
      if (conversation.rows.find('ai', message.id) !== undefined) conversation.messages.put(message, node);
    }
    conversation.rows.push({ kind: 'step', node: [...path, node].join(' › '), update });
  }
}

/** Adds the update of a subagent's node, whose messages are in no other state. */
function applySubagent(draft: TranscriptDraft, conversation: Conversation, data: unknown): void {
  if (!isDictionary(data)) return;
  for (const [node, update] of Object.entries(data)) {
    if (node === '__interrupt__') continue;
    for (const part of partsOf(update)) {
      for (const message of messagesOf(part)) conversation.messages.put(message, node);
      draft.change({ work: withFiles(draft.state.work, part) });
    }
    conversation.rows.push({ kind: 'step', node, update });
  }
}

function applyValues(draft: TranscriptDraft, data: unknown): void {
  const messages = messagesOf(data);
  for (const message of messages) draft.putMessage(message, undefined);
  draft.change({ work: workOf(data) });
  if (isDictionary(data) && '__interrupt__' in data) draft.interrupt(readInterrupts(data.__interrupt__));
  if (!isDictionary(data)) return;
  // A state without messages is the result of the run, even if models have streamed messages.
  const { __interrupt__: _, ...values } = data;
  draft.change({ values: messages.length > 0 ? undefined : values });
}

/** The updates that a node returned: a single one, or several as a list. */
function partsOf(update: unknown): readonly unknown[] {
  return Array.isArray(update) ? update : [update];
}

/** The path of the task that produced a chunk: the tasks of the graphs that contain it, and the task itself. */
function pathOf(metadata: unknown): readonly string[] {
  const ns = isDictionary(metadata) ? metadata.langgraph_checkpoint_ns : undefined;
  return typeof ns === 'string' && ns !== '' ? ns.split('|') : [];
}

/** The node and task that produced a chunk. @param tasks the path to the task, from the graph of the conversation */
function writerOf(metadata: unknown, tasks: readonly string[]): Writer {
  if (!isDictionary(metadata)) return {};
  const { langgraph_node: node, langgraph_checkpoint_ns: task } = metadata;
  // Segments that are numbers distinguish the calls of one task.
  const path = tasks.map((segment) => segment.split(':')[0]).filter((name) => !/^\d*$/.test(name ?? ''));
  return {
    node: path.length > 0 ? path.join(' › ') : typeof node === 'string' ? node : undefined,
    task: typeof task === 'string' ? task : undefined,
  };
}
