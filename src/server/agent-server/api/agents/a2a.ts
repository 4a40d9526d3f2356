import { validate as isUuid, v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { RunCreate, type RunStatus } from '../../../../contract/agent-server/runs.ts';
import type { JsonObject } from '../../../../contract/fields.ts';
import { HttpError } from '../../../http/errors.ts';
import { readStoredObject } from '../../../storage/stored-json.ts';
import type { CustomAuthentication } from '../../auth/custom-auth.ts';
import { isOwned } from '../../auth/filters.ts';
import type { RunAuthor } from '../../auth/run-author.ts';
import type { AssistantRow } from '../../data/assistant-store.ts';
import { type ThreadStore, waitsForAnswer } from '../../data/thread-store.ts';
import type { RunRequests } from '../../requests/run-requests.ts';
import type { LiveRun } from '../../runs/live-run.ts';
import type { Runs } from '../../runs/runs.ts';
import { A2aMessage, toAnswer, toHistory, toInput, toParts } from './a2a-messages.ts';
import { type A2aVersion, eventIn, methodOf, taskIn } from './a2a-version.ts';
import { METHOD_NOT_FOUND, RpcFailure, type RpcRequest, rpcParams } from './json-rpc.ts';

const TASK_NOT_FOUND = -32_001;
const NOT_CANCELABLE = -32_002;
/** Context IDs that are not UUIDs are mapped to thread IDs. */
const CONTEXTS = '5f0f3ee6-6f6d-4f0b-9a5e-5f3b9a8f4c11';

export type A2aTask = JsonObject & { readonly kind: 'task' };

export interface A2aOptions {
  readonly requests: RunRequests;
  readonly runs: Runs;
  readonly threads: ThreadStore;
  readonly auth: Pick<CustomAuthentication, 'askForFilters'>;
}

/** Assistants as agents of the Agent2Agent protocol: a context is a thread, a task is a run. */
export class A2a {
  readonly #options: A2aOptions;
  constructor(options: A2aOptions) {
    this.#options = options;
  }

  /** @throws RpcFailure */
  async answer(
    assistant: AssistantRow,
    request: RpcRequest,
    author: RunAuthor,
    version: A2aVersion,
  ): Promise<unknown> {
    switch (methodOf(request)) {
      case 'message/send': {
        const { run } = await this.send(assistant, request, author);
        await run.outcome;
        return eventIn(version, await this.readTask(run.identity.runId, run.identity.threadId));
      }
      case 'tasks/get': {
        const { id, contextId, historyLength } = rpcParams(TaskQuery, request.params);
        const threadId = contextId == null ? undefined : threadOf(contextId);
        await this.#requireOwned(id, author);
        return taskIn(version, await this.readTask(id, threadId, historyLength ?? 0));
      }
      case 'tasks/cancel':
        throw new RpcFailure(NOT_CANCELABLE, 'Tasks cannot be canceled through A2A. Cancel the run instead.');
      default:
        throw new RpcFailure(METHOD_NOT_FOUND, `Unknown method '${request.method.slice(0, 64)}'.`);
    }
  }

  /** Starts the run of a message, which resumes the thread if it is interrupted. */
  async send(assistant: AssistantRow, request: RpcRequest, author: RunAuthor): Promise<{ run: LiveRun }> {
    const { message } = rpcParams(SendParams, request.params);
    const threadId =
      message.contextId == null || message.contextId === '' ? uuidv7() : threadOf(message.contextId);
    const thread = await this.#options.threads.find(threadId);
    const body = RunCreate.parse({
      assistant_id: assistant.assistant_id,
      if_not_exists: 'create',
      stream_mode: ['messages-tuple', 'values'],
      ...(waitsForAnswer(thread) ? { command: { resume: toAnswer(message) } } : { input: toInput(message) }),
    });
    const created = this.#options.requests.createOnThread(threadId, body, author);
    const run = await created.catch((error: unknown) => {
      // Another user's; without a thread, it is the assistant that is not found.
      if (thread === undefined || !(error instanceof HttpError) || error.status !== 404) throw error;
      throw new RpcFailure(TASK_NOT_FOUND, `Context '${message.contextId?.slice(0, 64)}' not found.`);
    });
    return { run };
  }

  /** @throws RpcFailure when the project's own `auth` hides the run's thread; HttpError when it refuses. */
  async #requireOwned(runId: string, { user }: RunAuthor): Promise<void> {
    const row = isUuid(runId) ? await this.#options.runs.find(runId) : undefined;
    if (row === undefined) throw notATask(runId);
    const { run_id, thread_id } = row;
    const reading = { on: 'threads', action: 'read' } as const;
    const filters = await this.#options.auth.askForFilters(user, reading, { thread_id, run_id });
    const thread = await this.#options.threads.find(thread_id);
    if (thread !== undefined && !isOwned(readStoredObject(thread.metadata), filters)) throw notATask(runId);
  }

  /** A run as a task, as version 0.3 has it. @throws RpcFailure when there is none. */
  async readTask(runId: string, threadId: string | undefined, historyLength = 0): Promise<A2aTask> {
    const row = isUuid(runId) ? await this.#options.runs.find(runId) : undefined;
    const thread = row && (await this.#options.threads.find(row.thread_id));
    if (row === undefined || (threadId !== undefined && row.thread_id !== threadId)) throw notATask(runId);
    const values: unknown = JSON.parse(thread?.values ?? 'null');
    const state = stateOf(row.status, thread?.status === 'interrupted');
    const asked = state === 'input-required' ? JSON.parse(thread?.interrupts ?? '{}') : undefined;
    return {
      kind: 'task',
      id: row.run_id,
      contextId: row.thread_id,
      status: {
        state,
        timestamp: row.ended_at ?? row.updated_at,
        ...statusMessage(row.error, asked, row.run_id, row.thread_id),
      },
      ...(state === 'completed'
        ? { artifacts: [{ artifactId: row.run_id, name: 'result', parts: toParts(values) }] }
        : {}),
      ...(historyLength > 0 ? { history: toHistory(values, historyLength, row.thread_id, row.run_id) } : {}),
    };
  }
}

const SendParams = z.looseObject({ message: A2aMessage });
const TaskQuery = z.looseObject({
  id: z.string(),
  contextId: z.string().nullish(),
  historyLength: z.int().min(0).max(10).nullish(),
});
const Failure = z.looseObject({ message: z.string() });

function notATask(runId: string): RpcFailure {
  return new RpcFailure(TASK_NOT_FOUND, `Task '${runId.slice(0, 64)}' not found.`);
}

function threadOf(contextId: string): string {
  return isUuid(contextId) ? contextId.toLowerCase() : uuidv5(contextId, CONTEXTS);
}

function stateOf(status: RunStatus, waits: boolean): string {
  switch (status) {
    case 'pending':
      return 'submitted';
    case 'running':
      return 'working';
    case 'success':
      return waits ? 'input-required' : 'completed';
    case 'interrupted':
      return 'canceled';
    case 'error':
    case 'timeout':
      return 'failed';
  }
}

/** The error, or the question of the interrupt. */
function statusMessage(error: string | null, asked: unknown, taskId: string, contextId: string): object {
  const parts =
    error !== null
      ? [{ kind: 'text', text: Failure.parse(JSON.parse(error)).message }]
      : asked !== undefined
        ? [{ kind: 'data', data: { interrupts: asked } }]
        : undefined;
  if (parts === undefined) return {};
  return {
    message: { kind: 'message', role: 'agent', messageId: `${taskId}-status`, taskId, contextId, parts },
  };
}
