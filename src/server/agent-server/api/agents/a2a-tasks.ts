import { validate as isUuid, v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import type { Permission } from '../../../../contract/endpoint.ts';
import { JsonObject } from '../../../../contract/fields.ts';
import { HttpError } from '../../../http/errors.ts';
import type { StateDatabase } from '../../../storage/state-database.ts';
import { readStoredObject } from '../../../storage/stored-json.ts';
import type { CustomAuthentication } from '../../auth/custom-auth.ts';
import { asMetadata, isOwned } from '../../auth/filters.ts';
import type { RunAuthor } from '../../auth/run-author.ts';
import type { AssistantRow } from '../../data/assistant-store.ts';
import type { RunStore } from '../../data/run-store.ts';
import type { ThreadStore } from '../../data/thread-store.ts';
import type { LiveRun } from '../../runs/live-run.ts';
import type { Runs } from '../../runs/runs.ts';
import { TASK_NOT_CANCELABLE, taskNotFound } from './a2a-errors.ts';
import { toHistory, toParts, toQuestion } from './a2a-messages.ts';
import { CANCELED_KEY, type TaskFilter, type TaskRow, TaskRows, type TaskState } from './a2a-task-rows.ts';
import { stateNamed } from './a2a-version.ts';
import { INVALID_PARAMS, RpcFailure, rpcParams } from './json-rpc.ts';

/** The field of a run's metadata with its context's ID, if that is not the thread's. */
const CONTEXT_KEY = 'a2a_context';
/** Context IDs that are not UUIDs are mapped to thread IDs. */
const CONTEXTS = '5f0f3ee6-6f6d-4f0b-9a5e-5f3b9a8f4c11';
const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 100;

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

/** Which parts of a task are read. */
export interface TaskParts {
  /** How many messages; none by default. */
  readonly historyLength?: number | null | undefined;
  readonly artifacts?: boolean;
}

/** Tasks of A2A clients: a context is a thread, and a task is a run with those that answer its interrupts. */
export class A2aTasks {
  readonly #options: A2aTasksOptions;
  readonly #rows: TaskRows;
  constructor(options: A2aTasksOptions) {
    this.#options = options;
    this.#rows = new TaskRows(options.db, options.threads.deploymentId);
  }

  /**
   * @throws RpcFailure for a task that is missing, belongs to another assistant, or is hidden by the project's own
   * `auth`; HttpError when that refuses.
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
    const thread = await this.#options.threads.see(thread_id);
    if (thread === undefined || !isOwned(readStoredObject(thread.metadata), filters)) throw taskNotFound(id);
    return task;
  }

  /** The current state of a task. @throws RpcFailure when it has been deleted. */
  async reread({ thread_id, task_id }: Pick<TaskRow, 'thread_id' | 'task_id'>): Promise<TaskRow> {
    const task = await this.#rows.find(thread_id, task_id);
    if (task === undefined) throw taskNotFound(task_id);
    return task;
  }

  /** The task of a thread that waits for input. */
  findWaiting(threadId: string): Promise<TaskRow | undefined> {
    return this.#rows.findWaiting(threadId);
  }

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
      ...(withHistory ? { history: toHistory(values, historyLength, contextId, task_id) } : {}),
    };
  }

  /** The values that a task reached, even if its thread has changed since; null when they were deleted. */
  async #readValues(task: TaskRow): Promise<unknown> {
    if (task.ended_at === null || task.error !== null) {
      const thread = await this.#options.threads.find(task.thread_id);
      return JSON.parse(thread?.values ?? 'null');
    }
    try {
      const { text } = await this.#options.runs.waitForResult(task);
      const { __interrupt__: _asked, ...values } = JsonObject.parse(JSON.parse(text));
      return values;
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) return null;
      throw error;
    }
  }

  /** A page of tasks (A2A 1.0, 3.1.4). @throws RpcFailure; HttpError when the project's own `auth` refuses. */
  async list(assistant: AssistantRow, params: unknown, { user }: RunAuthor): Promise<object> {
    const asked = rpcParams(ListParams, params);
    const searching: Permission = { on: 'threads', action: 'search' };
    const filters = await this.#options.auth.askForFilters(user, searching, {});
    const pageSize = asked.pageSize ?? PAGE_SIZE;
    const filter: TaskFilter = {
      assistantId: assistant.assistant_id,
      threadId: isGiven(asked.contextId) ? threadOf(asked.contextId) : undefined,
      threadMetadata: asMetadata(filters),
      state: asked.status ?? undefined,
      updatedSince: asked.statusTimestampAfter ?? undefined,
    };
    const after = isGiven(asked.pageToken) ? placeIn(asked.pageToken) : undefined;
    const rows = await this.#rows.list(filter, { limit: pageSize + 1, after });
    // Pages after the first do not count again.
    const total = after?.total ?? (await this.#rows.count(filter));
    const page = rows.slice(0, pageSize);
    const last = rows.length > pageSize ? page.at(-1) : undefined;
    const { historyLength, includeArtifacts } = asked;
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
   * Cancels the run behind a task, or its open question. @returns the task, when it has ended. @throws RpcFailure
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

/** The thread of a context. */
export function threadOf(contextId: string): string {
  return isUuid(contextId) ? contextId.toLowerCase() : uuidv5(contextId, CONTEXTS);
}

/** Metadata of runs in a context, from which `contextOf` reads its ID. */
export function contextMetadata(contextId: string): JsonObject {
  return threadOf(contextId) === contextId ? {} : { [CONTEXT_KEY]: contextId };
}

/** The ID of a run's context, as its client gave it. */
export function contextOf(run: {
  readonly thread_id: string;
  readonly metadata: string | JsonObject;
}): string {
  const { thread_id, metadata } = run;
  const { [CONTEXT_KEY]: given } =
    typeof metadata === 'string' ? JsonObject.parse(readStoredObject(metadata)) : metadata;
  // The copy of a thread has the metadata of the original.
  return typeof given === 'string' && threadOf(given) === thread_id ? given : thread_id;
}

export function isGiven(text: string | null | undefined): text is string {
  return text != null && text !== '';
}

/** Any number of messages; none are read beyond what there are. */
export const HistoryLength = z.int().min(0).nullish();

const ListParams = z.looseObject({
  contextId: z.string().nullish(),
  status: z
    .string()
    .transform((name, context) => {
      if (name === '' || name === 'TASK_STATE_UNSPECIFIED') return undefined;
      const state = stateNamed(name);
      if (state === undefined) context.addIssue({ code: 'custom', message: 'Not a state of tasks.' });
      return state;
    })
    .nullish(),
  pageSize: z.int().min(1).max(MAX_PAGE_SIZE).nullish(),
  pageToken: z.string().nullish(),
  historyLength: HistoryLength,
  statusTimestampAfter: z.iso
    .datetime({ offset: true })
    .transform((time) => new Date(time).toISOString())
    .nullish(),
  includeArtifacts: z.boolean().nullish(),
});

const Place = z.tuple([z.string(), z.string(), z.int()]);

function tokenOf({ updated_at, run_id }: TaskRow, total: number): string {
  return Buffer.from(JSON.stringify([updated_at, run_id, total])).toString('base64url');
}

function placeIn(token: string) {
  try {
    const [updatedAt, runId, total] = Place.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
    return { updatedAt, runId, total };
  } catch {
    throw new RpcFailure(INVALID_PARAMS, 'params.pageToken: not a token of an earlier page.');
  }
}

const Failure = z.looseObject({ message: z.string() });

/** The error, or the question of the interrupt. */
function statusMessage({ error, state, interrupts, asked, task_id }: TaskRow, contextId: string): object {
  const parts =
    error !== null
      ? [{ kind: 'text', text: Failure.parse(JSON.parse(error)).message }]
      : state === 'input-required'
        ? toQuestion(JSON.parse(interrupts ?? asked))
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
