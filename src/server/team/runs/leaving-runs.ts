import type { LiveRun } from '../../agent-server/runs/live-run.ts';
import type { LiveRuns } from '../../agent-server/runs/live-runs.ts';
import type { RunExecution } from '../../agent-server/runs/run-execution.ts';
import type { RunLedger } from '../../agent-server/runs/run-ledger.ts';
import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { RunHandover } from './run-handover.ts';
import type { RunHolders } from './run-holders.ts';

interface LeavingRunsOptions {
  readonly db: StateDatabase;
  readonly logger: Logger;
  readonly deploymentId: string;
  readonly live: LiveRuns;
  readonly ledger: RunLedger;
  readonly holders: RunHolders;
  readonly handover: RunHandover;
  readonly execution: Pick<RunExecution, 'abandon'>;
  /** The work on runs that have started. */
  readonly executing: Map<LiveRun, Promise<void>>;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
  /**
   * Leaves a run to the next start of this server, because there is no other server.
   * @returns whether that has been stored.
   */
  leaveToNextStart(run: LiveRun): Promise<boolean>;
}

/**
 * Hands the runs of a server to others before it stops, while it still answers requests. If there is no other server,
 * the runs wait for the next start of this one.
 */
export class LeavingRuns {
  readonly #options: LeavingRunsOptions;
  #isLeaving = false;
  /** Runs that have been stored as waiting for the next start. */
  readonly #leftToNextStart = new WeakSet<LiveRun>();

  constructor(options: LeavingRunsOptions) {
    this.#options = options;
  }

  /** Whether this server is handing over its runs, including those that it still accepts. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** From now on, no runs are started, and those that are executing are left at the end of their supersteps. */
  begin(): void {
    this.#isLeaving = true;
    this.#options.ledger.stopStarting();
  }

  /**
   * Leaves runs as soon as each can be left, until the server stops. More runs may arrive in the meantime, because
   * other servers hand runs to the server that has the thread; and a server that can take runs may join.
   * @returns when no run is left that can be handed over, or when the signal is aborted.
   */
  leaveAll(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    void this.#keepLeaving(resolve);
    return promise;
  }

  /**
   * @param onDone called whenever there are no runs to leave, or there is no server to leave them to and none of them
   * is executing.
   */
  async #keepLeaving(onDone: () => void): Promise<void> {
    const { holders, live, executing, db, deploymentId, closing, logger } = this.#options;
    while (!closing.aborted) {
      const change = db.bus.next(`node:${db.node}`, closing);
      try {
        const own = await holders.listOwn();
        const threads = new Set([...live.threads(), ...own.map(({ thread_id }) => thread_id)]);
        const isAlone = (await db.findHeir(deploymentId)) === undefined;
        for (const threadId of threads)
          await (isAlone ? this.#leaveForNextStart(threadId) : this.#handOver(threadId));
        if (threads.size === 0 || (isAlone && executing.size === 0)) onDone();
      } catch (err) {
        logger.warn({ err }, 'could not leave runs to another server');
      }
      await change;
    }
  }

  /** Called at the end of each superstep of a run; leaves the run there once this server is leaving. */
  leaveAfterStep(run: LiveRun): void {
    const { live, executing, execution, closing, logger } = this.#options;
    const { runId, threadId } = run.identity;
    const canContinue = !run.mustEnd && run.storageFailure === undefined;
    if (!this.#isLeaving || !canContinue || closing.aborted) return;
    live.leave(runId);
    run.waitAgain();
    executing.delete(run);
    execution.abandon(run);
    this.#handOver(threadId).catch((err: unknown) =>
      logger.warn({ run_id: runId, err }, 'could not leave a run to another server'),
    );
  }

  /** Hands the runs of a thread to another server, unless one of them is executing here or there is no other server. */
  #handOver(threadId: string): Promise<void> {
    const { holders, handover, db, deploymentId } = this.#options;
    return holders.inTurn(threadId, async () => {
      const heir = await db.findHeir(deploymentId);
      await (heir === undefined ? this.#leaveForNextStart(threadId) : handover.give(threadId, heir));
    });
  }

  /** Stores that the next start of this server continues the run of a thread that was left in the middle. */
  async #leaveForNextStart(threadId: string): Promise<void> {
    const { live, executing, leaveToNextStart } = this.#options;
    const left = live.onThread(threadId).find(({ identity }) => live.hasLeft(identity.runId));
    // A run that has been canceled in the meantime is in `executing` while its end is being stored.
    if (left === undefined || executing.has(left) || this.#leftToNextStart.has(left)) return;
    if (await leaveToNextStart(left)) this.#leftToNextStart.add(left);
  }
}
