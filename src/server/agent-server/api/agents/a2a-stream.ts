import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { EventStream } from '../../../http/event-stream.ts';
import type { RunAuthor } from '../../auth/run-author.ts';
import type { AssistantRow } from '../../data/assistant-store.ts';
import type { A2a } from './a2a.ts';
import type { TaskRow } from './a2a-task-rows.ts';
import { contextOf } from './a2a-tasks.ts';
import { type A2aVersion, eventIn, methodOf, versionOf } from './a2a-version.ts';
import { type RpcRequest, rpcFailure, rpcResult } from './json-rpc.ts';

/** Methods whose answers are streams, by their names in 0.3. */
const STREAMED: ReadonlySet<string> = new Set(['message/stream', 'tasks/resubscribe']);

export function isStreamed(request: RpcRequest): boolean {
  return STREAMED.has(methodOf(request));
}

export interface StreamedRequest {
  readonly request: RpcRequest;
  readonly headers: IncomingHttpHeaders;
  readonly assistant: AssistantRow;
  readonly author: RunAuthor;
}

/**
 * Answers with a task from where it is to its end, or to where it needs input, each event as an answer of JSON-RPC.
 * A refusal is JSON, except in 0.3, whose clients read only events then.
 * @throws what is not about the request.
 */
export async function streamTask(a2a: A2a, response: ServerResponse, asked: StreamedRequest): Promise<void> {
  const id = asked.request.id ?? null;
  let version: A2aVersion = '1.0';
  let begun: BegunTask;
  try {
    version = versionOf(asked.headers, asked.request);
    begun = await begin(a2a, asked);
  } catch (error) {
    const refusal = rpcFailure(id, error);
    if (version !== '0.3') return void response.end(JSON.stringify(refusal));
    const stream = new EventStream(response, {});
    stream.send('message', refusal);
    return stream.end();
  }
  const stream = new EventStream(response, {});
  const send = (event: A2aEvent) => stream.send('message', rpcResult(id, eventIn(version, event)));
  try {
    send(begun.first);
    for (const event of begun.next) send(event);
    if (begun.ending === undefined) return;
    await Promise.race([begun.ending, stream.closed]);
    if (stream.isClosed) return;
    for (const event of await readEnd(a2a, begun.task)) send(event);
  } catch (error) {
    stream.send('message', rpcFailure(id, error));
  } finally {
    stream.end();
  }
}

interface A2aEvent {
  readonly kind: string;
  readonly [field: string]: unknown;
}

type TaskKey = Pick<TaskRow, 'thread_id' | 'task_id'>;

interface BegunTask {
  readonly task: TaskKey;
  /** The task. */
  readonly first: A2aEvent;
  /** Events that are known from the start. */
  readonly next: readonly A2aEvent[];
  /** Resolves when nothing more happens by itself; absent when that is so already. */
  readonly ending: Promise<unknown> | undefined;
}

function begin(a2a: A2a, asked: StreamedRequest): Promise<BegunTask> {
  return methodOf(asked.request) === 'message/stream' ? beginNew(a2a, asked) : beginAgain(a2a, asked);
}

async function beginNew(a2a: A2a, { request, assistant, author }: StreamedRequest): Promise<BegunTask> {
  const { run, task, contextId } = await a2a.send(assistant, request, author);
  const { task_id } = task;
  const working = { state: 'working', timestamp: new Date().toISOString() };
  return {
    task,
    first: {
      kind: 'task',
      id: task_id,
      contextId,
      status: { state: 'submitted', timestamp: run.acceptedAt },
    },
    next: [statusUpdate(task_id, contextId, working, false)],
    ending: run.outcome,
  };
}

async function beginAgain(a2a: A2a, { request, assistant, author }: StreamedRequest): Promise<BegunTask> {
  const task = await a2a.subscribe(assistant, request, author);
  return {
    task,
    first: await a2a.tasks.read(task),
    next: [],
    ending: task.state === 'input-required' ? undefined : a2a.tasks.waitForEnd(task),
  };
}

/** The result of a task, and its last status. */
async function readEnd(a2a: A2a, task: TaskKey): Promise<A2aEvent[]> {
  const ended = await a2a.tasks.reread(task);
  const contextId = contextOf(ended);
  const taskId = ended.task_id;
  const { artifacts, status } = await a2a.tasks.read(ended);
  const results: unknown[] = Array.isArray(artifacts) ? artifacts : [];
  return [
    ...results.map((artifact) => ({
      kind: 'artifact-update',
      taskId,
      contextId,
      artifact,
      append: false,
      lastChunk: true,
    })),
    statusUpdate(taskId, contextId, status, true),
  ];
}

function statusUpdate(taskId: string, contextId: string, status: unknown, final: boolean): A2aEvent {
  return { kind: 'status-update', taskId, contextId, status, final };
}
