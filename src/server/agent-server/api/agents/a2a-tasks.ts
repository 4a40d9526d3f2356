import { validate as isUuid } from 'uuid';
import { z } from 'zod';
import type { AuthQuestion } from '../../../../contract/endpoint.ts';
import type { JsonObject } from '../../../../contract/fields.ts';
import { HttpError } from '../../../http/errors.ts';
import type { StateDatabase } from '../../../storage/state-database.ts';
import { readStoredObject } from '../../../storage/stored-json.ts';
import type { CustomAuthentication } from '../../auth/custom-auth.ts';
import { asMetadata, matchesFilters } from '../../auth/filters.ts';
import type { RunAuthor } from '../../auth/run-author.ts';
import type { AssistantRow } from '../../data/assistant-store.ts';
import type { RunStore } from '../../data/run-store.ts';
import type { ThreadStore } from '../../data/thread-store.ts';
import type { LiveRun } from '../../runs/live-run.ts';
import type { Runs } from '../../runs/runs.ts';
import { contextOf, threadOf } from './a2a-contexts.ts';
import { TASK_NOT_CANCELABLE, taskNotFound } from './a2a-errors.ts';
import { toHistory, toParts, toQuestion } from './a2a-messages.ts';
import { readToken, tokenOf } from './a2a-page-tokens.ts';
import { DEFAULT_PAGE_SIZE, isGiven, ListParams } from './a2a-params.ts';
import { CANCELED_KEY, type TaskFilter, type TaskRow, TaskRows, type TaskState } from './a2a-task-rows.ts';
import { RpcFailure, rpcParams } from './json-rpc.ts';

const TERMINAL: ReadonlySet<TaskState> = new Set(['completed', 'canceled', 'failed']);

/** A task in the form of version 0.3. */
export type A2aTask = JsonObject & { readonly kind: 'task' };

export interface A2aTasksOptions {
  readonly db: StateDatabase;
  readonly runs: Runs;
  readonly runStore: RunStore;
  readonly threads: ThreadStore;
  readonly auth: Pick<CustomAuthentication, 'askForFilters'>;
}

/** The parts of a task to read. */
export interface TaskParts {
  /** The maximum number of messages to include; none by default. */
  readonly historyLength?: number | null | undefined;
  readonly artifacts?: boolean;
}

/**
 * The tasks of A2A clients. A context is a thread, and a task is a run together with the runs that answer its
 * interrupts.
 */
export class A2aTasks {
  readonly #options: A2aTasksOptions;
  readonly #rows: TaskRows;
  constructor(options: A2aTasksOptions) {
    this.#options = options;
    this.#rows = new TaskRows(options.db, options.threads.deploymentId);
  }

  /**
   * Finds a task.
   * @throws RpcFailure for a task that is missing, belongs to another assistant, or is hidden by the
   * project's own `auth`; HttpError if `auth` refuses.
   */
  async require(
    id: string,
    assistant: AssistantRow,
    { user }: RunAuthor,
    action: 'read' | 'update' = 'read',
  ): Promise<TaskRow> {
    const first = isUuid(id) ? await this.#options.runs.find(id) : undefined;
    const task = first && (await this.#rows.find(first.thread_id, first.run_id));
    if (task === undefined || task.assistant_id !== assistant.assistant_id) throw taskNotFound(id);
    const { run_id, thread_id } = task;
    const filters = await this.#options.auth.askForFilters(
      user,
      { on: 'threads', action },
      { thread_id, run_id },
    );
    const thread = await this.#options.threads.findWithoutState(thread_id);
    if (thread === undefined || !matchesFilters(readStoredObject(thread.metadata), filters))
      throw taskNotFound(id);
    return task;
  }

  /** The current state of a task. @throws RpcFailure when it has been deleted. */
  async reread({ thread_id, task_id }: Pick<TaskRow, 'thread_id' | 'task_id'>): Promise<TaskRow> {
    const task = await this.#rows.find(thread_id, task_id);
    if (task === undefined) throw taskNotFound(task_id);
    return task;
  }

  /** Finds the task for which a thread waits for input. */
  findWaiting(threadId: string): Promise<TaskRow | undefined> {
    return this.#rows.findWaiting(threadId);
  }

  /** Reads a task in the form of version 0.3. */
  async read(task: TaskRow, { historyLength, artifacts = true }: TaskParts = {}): Promise<A2aTask> {
    const { task_id, state } = task;
    const contextId = contextOf(task);
    const withHistory = historyLength != null && historyLength > 0;
    const withArtifacts = artifacts && state === 'completed';
    const values = withHistory || withArtifacts ? await this.#readValues(task) : undefined;
    return {
      kind: 'task',
      id: task_id,
      contextId,
      status: {
        state,
        timestamp: task.updated_at,
        ...statusMessage(task, contextId),
      },
      ...(withArtifacts
        ? { artifacts: [{ artifactId: task.run_id, name: 'result', parts: toParts(values) }] }
        : {}),
      ...(withHistory ? { history: toHistory(values, historyLength, { contextId, taskId: task_id }) } : {}),
    };
  }

  /** The values that a task has reached, even if its thread has changed since; null if they were deleted. */
  async #readValues(task: TaskRow): Promise<unknown> {
    if (task.ended_at === null) {
      const thread = await this.#options.threads.find(task.thread_id);
      return JSON.parse(thread?.values ?? 'null');
    }
    try {
      return JSON.parse((await this.#options.runs.readValues(task)) ?? 'null');
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) return null;
      throw error;
    }
  }

  /**
   * A page of tasks (A2A 1.0, 3.1.4).
   * @throws RpcFailure; HttpError when the project's own `auth` refuses.
   */
  async list(assistant: AssistantRow, params: unknown, { user }: RunAuthor): Promise<object> {
    const request = rpcParams(ListParams, params);
    const searching: AuthQuestion = { on: 'threads', action: 'search' };
    const filters = await this.#options.auth.askForFilters(user, searching, {});
    const pageSize = request.pageSize ?? DEFAULT_PAGE_SIZE;
    const filter: TaskFilter = {
      assistantId: assistant.assistant_id,
      threadId: isGiven(request.contextId) ? threadOf(request.contextId) : undefined,
      threadMetadata: asMetadata(filters),
      state: request.status ?? undefined,
      updatedSince: request.statusTimestampAfter ?? undefined,
    };
    const after = isGiven(request.pageToken) ? readToken(request.pageToken) : undefined;
    const rows = await this.#rows.list(filter, { limit: pageSize + 1, after });
    // Later pages reuse the total of the first page.
    const total = after?.total ?? (await this.#rows.count(filter));
    const page = rows.slice(0, pageSize);
    const last = rows.length > pageSize ? page.at(-1) : undefined;
    const { historyLength, includeArtifacts } = request;
    return {
      tasks: await Promise.all(
        page.map((task) => this.read(task, { historyLength, artifacts: includeArtifacts === true })),
      ),
      nextPageToken: last === undefined ? '' : tokenOf(last, total),
      pageSize,
      totalSize: total,
    };
  }

  /**
   * Cancels the run or the open question of a task.
   * @returns the task, once it has ended.
   * @throws RpcFailure
   */
  async cancel(id: string, assistant: AssistantRow, author: RunAuthor): Promise<TaskRow> {
    const task = await this.require(id, assistant, author, 'update');
    if (hasEnded(task)) {
      throw new RpcFailure(TASK_NOT_CANCELABLE, `Task '${task.task_id}' has ended: it is ${task.state}.`);
    }
    if (task.state === 'input-required') await this.#cancelQuestion(task);
    else {
      const canceled = await this.#options.runs.cancel(task, 'interrupt', 'A2A task canceled');
      await Promise.all(canceled.map((run) => run.outcome));
    }
    return this.reread(task);
  }

  /** The run that works on a task, here or on another server; undefined when it has ended. */
  findLive(task: TaskRow): Promise<LiveRun | undefined> {
    return this.#options.runs.findLive(task);
  }

  #cancelQuestion({ thread_id, run_id, metadata }: TaskRow): Promise<void> {
    const { db, runStore } = this.#options;
    return db.commit((unit) => {
      const changed = JSON.stringify({ ...readStoredObject(metadata), [CANCELED_KEY]: true });
      runStore.update(unit, run_id, { metadata: changed });
    }, thread_id);
  }
}

export function hasEnded({ state }: Pick<TaskRow, 'state'>): boolean {
  return TERMINAL.has(state);
}

const Failure = z.looseObject({ message: z.string() });

/** The message of a task's status: its error, or the question of its interrupt. */
function statusMessage(
  { error, state, interrupts, thread_interrupts, task_id }: TaskRow,
  contextId: string,
): object {
  const parts =
    error !== null
      ? [{ kind: 'text', text: Failure.parse(JSON.parse(error)).message }]
      : state === 'input-required'
        ? toQuestion(JSON.parse(interrupts ?? thread_interrupts))
        : undefined;
  if (parts === undefined) return {};
  return {
    message: {
      kind: 'message',
      role: 'agent',
      messageId: `${task_id}-status`,
      taskId: task_id,
      contextId,
      parts,
    },
  };
}
