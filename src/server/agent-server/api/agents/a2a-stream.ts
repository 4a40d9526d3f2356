import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { EventStream } from '../../../http/event-stream.ts';
import type { RunAuthor } from '../../auth/run-author.ts';
import type { AssistantRow } from '../../data/assistant-store.ts';
import type { LiveRun } from '../../runs/live-run.ts';
import type { A2a } from './a2a.ts';
import { contextOf } from './a2a-contexts.ts';
import { MessageProgress } from './a2a-progress.ts';
import type { TaskRow } from './a2a-task-rows.ts';
import { type A2aVersion, eventIn, methodOf, versionOf } from './a2a-version.ts';
import { type RpcRequest, rpcFailure, rpcResult } from './json-rpc.ts';

/** The SDK for Python ends a stream that is silent for five seconds. */
const HEARTBEAT_MS = 2_000;

/** Methods whose responses are streams, by their names in A2A 0.3. */
const STREAMED: ReadonlySet<string> = new Set(['message/stream', 'tasks/resubscribe']);

/** Whether a request is answered with a stream. */
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
 * Streams the events of a task, each as a JSON-RPC response, until the task ends or needs input. A refusal is
 * sent as JSON, except in 0.3, whose clients only read events.
 * @throws errors that the client did not cause.
 */
export async function streamTask(
  a2a: A2a,
  response: ServerResponse,
  streamed: StreamedRequest,
): Promise<void> {
  const id = streamed.request.id ?? null;
  let version: A2aVersion = '1.0';
  let begun: BegunTask;
  try {
    version = versionOf(streamed.headers, streamed.request);
    begun = await begin(a2a, streamed);
  } catch (error) {
    const refusal = rpcFailure(id, error);
    if (version !== '0.3') return void response.end(JSON.stringify(refusal));
    const stream = new EventStream(response, {});
    stream.send('message', refusal);
    return stream.end();
  }
  const stream = new EventStream(response, {}, HEARTBEAT_MS);
  const send = (event: A2aEvent) => stream.send('message', rpcResult(id, eventIn(version, event)));
  try {
    send(begun.first);
    for (const event of begun.next) send(event);
    if (begun.waitsForInput) return;
    if (begun.run !== undefined) await followRun(begun.run, begun, { stream, send });
    if (stream.isClosed) return;
    for (const event of await readEnd(a2a, begun.task)) send(event);
  } catch (error) {
    stream.send('message', rpcFailure(id, error));
  } finally {
    stream.end();
  }
}

/**
 * Sends the text that the agent is writing, each time from the beginning of the message, until the run has
 * ended or the client has disconnected.
 */
async function followRun(
  run: LiveRun,
  { task, contextId }: BegunTask,
  { stream, send }: { stream: EventStream; send: (event: A2aEvent) => void },
): Promise<void> {
  const taskId = task.task_id;
  const gone = new AbortController();
  void stream.closed.then(() => gone.abort());
  const progress = new MessageProgress(run.identity.graphId);
  for await (const events of run.stream.read(0, gone.signal)) {
    for (const { id, text } of progress.read(events)) {
      const message = {
        kind: 'message',
        role: 'agent',
        messageId: id,
        taskId,
        contextId,
        parts: [{ kind: 'text', text }],
      };
      send(statusUpdate({ taskId, contextId }, { ...working(), message }));
    }
    await stream.waitForDrain();
  }
  await Promise.race([run.outcome, stream.closed]);
}

interface A2aEvent {
  readonly kind: string;
  readonly [field: string]: unknown;
}

type TaskKey = Pick<TaskRow, 'thread_id' | 'task_id'>;

interface BegunTask {
  readonly task: TaskKey;
  readonly contextId: string;
  /** The first event: the task. */
  readonly first: A2aEvent;
  /** Events that follow immediately. */
  readonly next: readonly A2aEvent[];
  /** The run that works on the task; absent if it has ended. */
  readonly run: LiveRun | undefined;
  /** Whether the task waits for input. The stream then ends. */
  readonly waitsForInput: boolean;
}

/** Starts the task of a message, or joins an existing one. */
function begin(a2a: A2a, streamed: StreamedRequest): Promise<BegunTask> {
  return methodOf(streamed.request) === 'message/stream' ? startTask(a2a, streamed) : joinTask(a2a, streamed);
}

async function startTask(a2a: A2a, { request, assistant, author }: StreamedRequest): Promise<BegunTask> {
  const { run, task, contextId } = await a2a.send(assistant, request, author);
  const status = { state: 'submitted', timestamp: run.acceptedAt };
  return {
    task,
    contextId,
    first: { kind: 'task', id: task.task_id, contextId, status },
    next: [statusUpdate({ taskId: task.task_id, contextId }, working())],
    run,
    waitsForInput: false,
  };
}

async function joinTask(a2a: A2a, { request, assistant, author }: StreamedRequest): Promise<BegunTask> {
  const task = await a2a.subscribe(assistant, request, author);
  return {
    task,
    contextId: contextOf(task),
    first: await a2a.tasks.read(task),
    next: [],
    run: await a2a.tasks.findLive(task),
    waitsForInput: task.state === 'input-required',
  };
}

function working(): object {
  return { state: 'working', timestamp: new Date().toISOString() };
}

/** Reads the last events of a task's stream: its results and its last status. */
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
    statusUpdate({ taskId, contextId }, status, { final: true }),
  ];
}

/** The event for a task's status. @param options.final whether the stream ends with it. */
function statusUpdate(
  ids: { readonly taskId: string; readonly contextId: string },
  status: unknown,
  options: { readonly final: boolean } = { final: false },
): A2aEvent {
  return { kind: 'status-update', ...ids, status, ...options };
}
