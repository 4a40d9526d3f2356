import { sql } from 'kysely';
import {
  countAnotherRun,
  holdersOfThread,
  insertRun,
  runOfServer,
  storeCancel,
  threadWithRuns,
} from '../../agent-server/data/run-queries.ts';
import type { RunRow } from '../../agent-server/data/run-store.ts';
import { type Cancelled, LiveRun, type RunIdentity } from '../../agent-server/runs/live-run.ts';
import { makeRunRow } from '../../agent-server/runs/run-rows.ts';
import type { RunSharingOptions } from '../../agent-server/runs/run-sharing.ts';
import { RunStream } from '../../agent-server/runs/run-stream.ts';
import { threadBusy } from '../../agent-server/runs/thread-busy.ts';
import { KeyedMutex } from '../../keyed-mutex.ts';
import type { Unit, Write } from '../../storage/unit.ts';
import type { FollowedRuns } from './followed-runs.ts';

/** The server that has a thread, according to the last reading of the database. */
interface SeenThreadHolder {
  /** The server that has the unfinished runs of the thread; undefined when there are none. */
  readonly node: string | undefined;
  /** The IDs of the unfinished runs. */
  readonly unfinished: readonly string[];
  /** A number that increases with each accepted run. */
  readonly runCount: number;
}

interface RunHoldersOptions extends Omit<RunSharingOptions, 'results'> {
  readonly followed: FollowedRuns;
}

/**
 * Reads from the database which server has a thread's unfinished runs, and passes runs to other servers.
 */
export class RunHolders {
  readonly #options: RunHoldersOptions;
  /** Locks threads, by ID. */
  readonly #mutex = new KeyedMutex();

  constructor(options: RunHoldersOptions) {
    this.#options = options;
  }

  /** Accepts runs of a thread one after the other, so that they are stored in this server's order. */
  inTurn<Result>(threadId: string, accept: () => Promise<Result>): Promise<Result> {
    return this.#mutex.run(threadId, accept);
  }

  /** Reads which server has a thread. */
  async readHolder(threadId: string): Promise<SeenThreadHolder> {
    const { db, deploymentId } = this.#options;
    const key = { thread_id: threadId, deployment_id: deploymentId };
    const rows = await db.findAll(holdersOfThread, key);
    const [first] = rows;
    return {
      node: first?.lease_owner ?? undefined,
      unfinished: rows.flatMap(({ run_id }) => run_id ?? []),
      runCount: first?.run_count ?? 0,
    };
  }

  /** Makes a unit that accepts a run fail as `stale` if another run has been accepted since. */
  expectNext(unit: Unit, threadId: string, { runCount }: SeenThreadHolder): void {
    unit.expect(threadWithRuns, { thread_id: threadId, run_count: runCount + 1 }, 'stale');
  }

  /** Makes a unit fail as `gone` if this server no longer has a run. */
  expectOwn(unit: Unit, runId: string): void {
    unit.expect(runOfServer, { run_id: runId, lease_owner: this.#options.db.node }, 'gone');
  }

  /**
   * Stores a new run for another server: the one that has the thread or, while this server is leaving, its heir.
   * @param seen the holder as it was read. If another run has been accepted since, the run is refused.
   * @param node the number of the other server.
   * @param prepareThread writes of the same unit that create or change the thread.
   * @returns the run, which is followed here.
   * @throws HttpError 409 when the strategy is `reject`, Refused with `stale` when another run has been accepted
   * since, or when that server has ended or no longer serves the deployment.
   */
  async storeForOther(
    identity: RunIdentity,
    seen: SeenThreadHolder,
    node: string,
    prepareThread: Write,
  ): Promise<LiveRun> {
    const { db, queue, runs, followed, deploymentId } = this.#options;
    const { runId, threadId, multitaskStrategy } = identity;
    if (multitaskStrategy === 'reject' && seen.unfinished.length > 0) throw threadBusy();
    const run = new LiveRun(identity, new RunStream({ run_id: runId, thread_id: threadId }, { db, queue }));
    await queue.write(threadId, (unit) => {
      prepareThread(unit);
      this.expectNext(unit, threadId, seen);
      expectServer(unit, node, deploymentId);
      if (multitaskStrategy === 'interrupt' || multitaskStrategy === 'rollback') {
        for (const other of seen.unfinished) storeCancel(unit, other, { action: multitaskStrategy });
      }
      unit.run(insertRun, makeRunRow(run, deploymentId, node));
    });
    db.bus.hint(`node:${node}`);
    const row = await runs.find(runId);
    if (row !== undefined) return followed.follow(row);
    // The run has already ended and been deleted. Its followers find that out.
    followed.keepFollowing(run);
    return run;
  }

  /**
   * Hands over the unfinished runs of this server on a thread to another one, including those that this
   * server has not adopted yet.
   * @throws Refused with `stale` when the other server has ended or no longer serves the deployment.
   */
  async handOver(threadId: string, heir: string): Promise<void> {
    const { db, queue, deploymentId } = this.#options;
    await queue.write(threadId, (unit) => {
      expectServer(unit, heir, deploymentId);
      // A server that is about to store a run for this one is refused because of the changed count, and reads
      // the holder again.
      unit.run(countAnotherRun, { thread_id: threadId });
      unit.do(
        unit.build
          .updateTable('runs')
          .set({ lease_owner: heir, status: 'pending', updated_at: new Date().toISOString() })
          .where('deployment_id', '=', deploymentId)
          .where('thread_id', '=', threadId)
          .where('lease_owner', '=', db.node)
          .where('status', 'in', ['pending', 'running']),
      );
    });
    db.bus.hint(`node:${heir}`);
  }

  /** Records that a run of another server is to be canceled. */
  async cancel(runId: string, threadId: string, cancelled: Cancelled): Promise<void> {
    const { db, queue, runs } = this.#options;
    await queue.write(threadId, (unit) => storeCancel(unit, runId, cancelled));
    const row = await runs.find(runId);
    if (row?.lease_owner != null) db.bus.hint(`node:${row.lease_owner}`);
  }

  /**
   * The unfinished runs of this server, including those that others have handed over to it, in the order in which
   * they were accepted.
   */
  listOwn(): Promise<Pick<RunRow, 'run_id' | 'thread_id' | 'cancel_action' | 'cancel_reason'>[]> {
    return this.#unfinished()
      .select(['run_id', 'thread_id', 'cancel_action', 'cancel_reason'])
      .where('lease_owner', '=', this.#options.db.node)
      .orderBy('thread_order')
      .execute();
  }

  /** The unfinished runs of all servers, on one thread or on all, in the order in which they were accepted. */
  listAll(threadId?: string): Promise<RunRow[]> {
    const all = this.#unfinished().selectAll().orderBy('thread_order');
    return (threadId === undefined ? all : all.where('thread_id', '=', threadId)).execute();
  }

  #unfinished() {
    return this.#options.db
      .selectFrom('runs')
      .where('deployment_id', '=', this.#options.deploymentId)
      .where('status', 'in', ['pending', 'running']);
  }
}

/**
 * Makes a unit fail as `stale` when a server has ended, or no longer serves the deployment. The lock makes others wait
 * for this unit: a server that takes over, and the server itself when it stops serving. They then pass on the unit's
 * run, too.
 */
function expectServer(unit: Unit, node: string, deploymentId: string): void {
  const isThere = sql`select number from nodes where number = ${Number(node)}
    and (deployments is null or ${deploymentId} = any(deployments)) for key share`;
  unit.expect({ compile: () => isThere.compile(unit.build) }, 'stale');
}
