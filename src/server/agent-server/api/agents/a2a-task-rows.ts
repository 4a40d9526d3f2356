import { type RawBuilder, sql } from 'kysely';
import type { JsonObject } from '../../../../contract/fields.ts';
import { documentContains, hasMember, textIn } from '../../../storage/dialect-expressions.ts';
import type { StateDatabase } from '../../../storage/state-database.ts';
import type { StoredJson } from '../../../storage/stored-json.ts';
import type { RunRow } from '../../data/run-store.ts';
import { indexedValue } from '../../data/thread-store.ts';

/** Metadata of runs that A2A clients start, and of threads created for them. */
export const STARTED_BY = { started_by: 'a2a' } as const;
/** The field of a run's metadata that names the task that the run continues. */
export const TASK_KEY = 'a2a_task';
/** The field of a run's metadata that says that its task was canceled while it waited for input. */
export const CANCELED_KEY = 'a2a_canceled';

export type TaskState = 'submitted' | 'working' | 'input-required' | 'completed' | 'canceled' | 'failed';

/** A task: the row of its newest run, and its state. */
export interface TaskRow extends RunRow {
  /** The ID of the task's first run. */
  readonly task_id: string;
  readonly state: TaskState;
  /** The interrupts of the thread that are not answered yet. */
  readonly thread_interrupts: StoredJson;
  /** The number of runs that its thread has had. */
  readonly run_count: number;
}

export interface TaskFilter {
  readonly assistantId: string;
  readonly threadId?: string | undefined;
  /** Metadata that the threads must contain. */
  readonly threadMetadata: JsonObject;
  /** A task state of A2A. It may be one that tasks here never have. */
  readonly state?: string | undefined;
  readonly updatedSince?: string | undefined;
}

/** The position of a task in a list. */
export interface TaskPlace {
  readonly updatedAt: string;
  readonly runId: string;
}

const laterRun = sql<boolean>`exists (
  select 1 from runs as later
  where later.thread_id = runs.thread_id and later.thread_order > runs.thread_order)`;
const taskOfRun = sql<string>`coalesce(${textIn('runs.metadata', TASK_KEY)}, runs.run_id)`;
const laterRunOfTask = sql<boolean>`exists (
  select 1 from runs as later
  where later.thread_id = runs.thread_id and later.thread_order > runs.thread_order
    and ${textIn('later.metadata', TASK_KEY)} = ${taskOfRun})`;
const wasCanceled = hasMember('runs.metadata', CANCELED_KEY);
/**
 * The state of a task. Only the newest run of a thread can wait for input, because a later run has answered
 * or replaced the question of an earlier one.
 */
const state: RawBuilder<TaskState> = sql`case
  when runs.status = 'pending' then 'submitted'
  when runs.status = 'running' then 'working'
  when runs.status = 'interrupted' or ${wasCanceled} then 'canceled'
  when runs.status in ('error', 'timeout') then 'failed'
  when threads.status = 'interrupted' and not ${laterRun} then 'input-required'
  else 'completed' end`;

/** Tasks of one deployment. A task is a run, together with the later runs that answer its interrupts. */
export class TaskRows {
  readonly #db: StateDatabase;
  readonly #deploymentId: string;
  constructor(db: StateDatabase, deploymentId: string) {
    this.#db = db;
    this.#deploymentId = deploymentId;
  }

  find(threadId: string, taskId: string): Promise<TaskRow | undefined> {
    return this.#selectTasks()
      .where('runs.thread_id', '=', threadId)
      .where(taskOfRun, '=', taskId)
      .executeTakeFirst();
  }

  /** Finds the task for which a thread waits for input. */
  findWaiting(threadId: string): Promise<TaskRow | undefined> {
    return this.#selectTasks()
      .where('runs.thread_id', '=', threadId)
      .where(state, '=', 'input-required')
      .executeTakeFirst();
  }

  /**
   * A page of an assistant's tasks, the last updated first: those of one thread, or of all threads that A2A
   * clients created.
   * @param page the maximum number of tasks, and the last task of the previous page.
   */
  async list(
    filter: TaskFilter,
    page: { readonly limit: number; readonly after?: TaskPlace | undefined },
  ): Promise<TaskRow[]> {
    const { limit, after } = page;
    let following = this.#matching(filter).select('runs.run_id');
    if (after !== undefined) {
      following = following.where(({ and, or, eb }) =>
        or([
          eb('runs.updated_at', '<', after.updatedAt),
          and([eb('runs.updated_at', '=', after.updatedAt), eb('runs.run_id', '<', after.runId)]),
        ]),
      );
    }
    // All matching rows must be sorted, but only those of the page are read completely.
    const sorted = following.orderBy('runs.updated_at', 'desc').orderBy('runs.run_id', 'desc').limit(limit);
    const ids = (await sorted.execute()).map(({ run_id }) => run_id);
    if (ids.length === 0) return [];
    return this.#selectTasks()
      .where('runs.run_id', 'in', ids)
      .orderBy('runs.updated_at', 'desc')
      .orderBy('runs.run_id', 'desc')
      .execute();
  }

  /** The number of matching tasks. */
  async count(filter: TaskFilter): Promise<number> {
    const counted = await this.#matching(filter)
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirst();
    return Number(counted?.total ?? 0);
  }

  #matching({ assistantId, threadId, threadMetadata, state: wanted, updatedSince }: TaskFilter) {
    let query = this.#newestRuns().where('runs.assistant_id', '=', assistantId);
    if (threadId !== undefined) query = query.where('runs.thread_id', '=', threadId);
    else {
      query = query.where('runs.thread_id', 'in', (inner) =>
        inner
          .selectFrom('thread_metadata')
          .select('thread_metadata.thread_id')
          .where('deployment_id', '=', this.#deploymentId)
          .where('key', '=', 'started_by')
          .where('value', '=', indexedValue('started_by', STARTED_BY.started_by) ?? ''),
      );
    }
    if (Object.keys(threadMetadata).length > 0) {
      query = query.where(documentContains('threads.metadata', threadMetadata));
    }
    if (wanted !== undefined) query = query.where(sql<boolean>`${state} = ${wanted}`);
    if (updatedSince !== undefined) query = query.where('runs.updated_at', '>=', updatedSince);
    return query;
  }

  #selectTasks() {
    return this.#newestRuns()
      .selectAll('runs')
      .select([
        'threads.interrupts as thread_interrupts',
        'threads.run_count',
        taskOfRun.as('task_id'),
        state.as('state'),
      ]);
  }

  /** The newest run of each task. */
  #newestRuns() {
    return this.#db
      .selectFrom('runs')
      .innerJoin('threads', 'threads.thread_id', 'runs.thread_id')
      .where('runs.deployment_id', '=', this.#deploymentId)
      .where(sql<boolean>`not ${laterRunOfTask}`);
  }
}
