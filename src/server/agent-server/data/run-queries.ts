import { type Insertable, type Selectable, sql } from 'kysely';
import { PreparedInsert } from '../../storage/prepared-insert.ts';
import { PreparedQuery } from '../../storage/prepared-query.ts';
import type { RunEventTable, RunTable } from '../../storage/state-schema.ts';
import type { Unit } from '../../storage/unit.ts';

// These queries are prepared, because every run makes them.

type RunRow = Selectable<RunTable>;

export const findRun = new PreparedQuery<Pick<RunRow, 'run_id' | 'deployment_id'>, RunRow>((db, value) =>
  db
    .selectFrom('runs')
    .selectAll()
    .where('run_id', '=', value('run_id'))
    .where('deployment_id', '=', value('deployment_id')),
);

/** Inserts a run. Its position in the thread is the count in the thread's row. */
export const insertRun = new PreparedQuery<Omit<Insertable<RunTable>, 'thread_order'>>((db, value) =>
  db.insertInto('runs').values({
    run_id: value('run_id'),
    thread_id: value('thread_id'),
    deployment_id: value('deployment_id'),
    assistant_id: value('assistant_id'),
    graph_id: value('graph_id'),
    status: value('status'),
    metadata: value('metadata'),
    kwargs: value('kwargs'),
    multitask_strategy: value('multitask_strategy'),
    attempt: value('attempt'),
    stateless: value('stateless'),
    thread_order: sql<number>`(select run_count from threads where thread_id = ${value('thread_id')})`,
    lease_owner: value('lease_owner'),
    lease_expires_at: value('lease_expires_at'),
    started_at: value('started_at'),
    start_after: value('start_after'),
    revision_id: value('revision_id'),
    error: null,
    cancel_reason: null,
    created_at: value('created_at'),
    updated_at: value('updated_at'),
  }),
);

/** Stores that an attempt of a run has started. */
export const startRun = new PreparedQuery<
  Pick<RunRow, 'run_id' | 'attempt' | 'started_at' | 'revision_id' | 'updated_at'>
>((db, value) =>
  db
    .updateTable('runs')
    .set({
      status: 'running',
      attempt: value('attempt'),
      started_at: value('started_at'),
      revision_id: value('revision_id'),
      updated_at: value('updated_at'),
    })
    .where('run_id', '=', value('run_id')),
);

/** Finds a run if it belongs to the given server. */
export const runOfServer = new PreparedQuery<{ run_id: string; lease_owner: string }>((db, value) =>
  db
    .selectFrom('runs')
    .select('run_id')
    .where('run_id', '=', value('run_id'))
    .where('lease_owner', '=', value('lease_owner')),
);

/**
 * Makes a run its thread's newest. Called when a pending run starts, or ends without having started, because
 * runs may start in a different order than they were accepted.
 */
export function takeNewestPlace(unit: Unit, run: Pick<RunRow, 'run_id' | 'thread_id'>): void {
  unit.run(countAnotherRun, run);
  unit.run(placeLast, run);
}

/** Increments a thread's number of runs, so that a server that read the previous number must read again. */
export const countAnotherRun = new PreparedQuery<Pick<RunRow, 'thread_id'>>((db, value) =>
  db
    .updateTable('threads')
    .set({ run_count: sql<number>`run_count + 1` })
    .where('thread_id', '=', value('thread_id')),
);
const placeLast = new PreparedQuery<Pick<RunRow, 'run_id' | 'thread_id'>>((db, value) =>
  db
    .updateTable('runs')
    .set({
      thread_order: sql<number>`(select run_count from threads where thread_id = ${value('thread_id')})`,
    })
    .where('run_id', '=', value('run_id')),
);

/** Stores how a run has ended. */
export const endRun = new PreparedQuery<
  Pick<
    RunRow,
    | 'run_id'
    | 'status'
    | 'ended_at'
    | 'last_checkpoint_id'
    | 'interrupts'
    | 'events_expire_at'
    | 'error'
    | 'cancel_reason'
    | 'updated_at'
  >
>((db, value) =>
  db
    .updateTable('runs')
    .set({
      status: value('status'),
      ended_at: value('ended_at'),
      last_checkpoint_id: value('last_checkpoint_id'),
      interrupts: value('interrupts'),
      events_expire_at: value('events_expire_at'),
      error: value('error'),
      cancel_reason: value('cancel_reason'),
      updated_at: value('updated_at'),
    })
    .where('run_id', '=', value('run_id')),
);

/**
 * Stores that an unfinished run is to be canceled, so that no other server continues it. A rollback stays a
 * rollback.
 */
export function storeCancel(
  unit: Unit,
  runId: string,
  { action, reason }: { action: RunRow['cancel_action']; reason?: string | undefined },
): void {
  unit.do(
    unit.build
      .updateTable('runs')
      .set({
        cancel_action: action,
        cancel_reason: reason ?? null,
        updated_at: new Date().toISOString(),
      })
      .where('run_id', '=', runId)
      .where('status', 'in', ['pending', 'running'])
      .where(({ eb, or }) => or([eb('cancel_action', 'is', null), eb('cancel_action', '<>', 'rollback')])),
  );
}

/** Finds a thread if it has this number of runs. */
export const threadWithRuns = new PreparedQuery<{ thread_id: string; run_count: number }>((db, value) =>
  db
    .selectFrom('threads')
    .select('thread_id')
    .where('thread_id', '=', value('thread_id'))
    .where('run_count', '=', value('run_count')),
);

/** Refuses a unit as gone if the thread has received another run since its runs were counted. */
export function expectNoOtherRun(
  unit: Unit,
  { thread_id, run_count }: { readonly thread_id: string; readonly run_count: number },
): void {
  unit.expect(
    unit.build
      .updateTable('threads')
      .set({ run_count })
      .where('thread_id', '=', thread_id)
      .where('run_count', '=', run_count),
    'gone',
  );
}

const UNFINISHED = [sql.lit<RunRow['status']>('pending'), sql.lit<RunRow['status']>('running')];

/**
 * The unfinished runs of a thread and the servers that own them, each with the thread's number of runs. If
 * there are none, a single row has that number.
 */
export const holdersOfThread = new PreparedQuery<
  Pick<RunRow, 'thread_id' | 'deployment_id'>,
  { run_count: number; run_id: string | null; lease_owner: string | null }
>((db, value) =>
  db
    .selectFrom('threads')
    .leftJoin('runs', (join) =>
      join
        .onRef('runs.thread_id', '=', 'threads.thread_id')
        .on('runs.deployment_id', '=', value('deployment_id'))
        .on('runs.status', 'in', UNFINISHED),
    )
    .select(['threads.run_count', 'runs.run_id', 'runs.lease_owner'])
    .where('threads.thread_id', '=', value('thread_id')),
);

/** Finds a row if no other run on the thread is unfinished, and no copy reads its checkpoints. */
export const noOtherUse = new PreparedQuery<Pick<RunRow, 'run_id' | 'thread_id'>>((db, value) =>
  db
    .selectNoFrom(sql.lit(1).as('none'))
    .where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom('histories').select('thread_id').where('base_id', '=', value('thread_id')))),
    )
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('runs')
            .select('run_id')
            .where('thread_id', '=', value('thread_id'))
            .where('run_id', '<>', value('run_id'))
            .where('status', 'in', UNFINISHED),
        ),
      ),
    ),
);

export const insertEvents = new PreparedInsert<RunEventTable>((db, rows) =>
  db.insertInto('run_events').values(
    rows.map((value) => ({
      run_id: value('run_id'),
      first_seq: value('first_seq'),
      last_seq: value('last_seq'),
      events: value('events'),
    })),
  ),
);
