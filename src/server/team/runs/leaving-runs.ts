import type { LiveRun } from '../../agent-server/runs/live-run.ts';
import type { LiveRuns } from '../../agent-server/runs/live-runs.ts';
import type { RunExecution } from '../../agent-server/runs/run-execution.ts';
import type { RunLedger } from '../../agent-server/runs/run-ledger.ts';
import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { RunHandover } from './run-handover.ts';
import type { RunHolders } from './run-holders.ts';

export interface LeavingRunsOptions {
  readonly db: StateDatabase;
  readonly logger: Logger;
  readonly deploymentId: string;
  readonly live: LiveRuns;
  readonly ledger: RunLedger;
  readonly holders: RunHolders;
  readonly given: RunHandover;
  readonly execution: Pick<RunExecution, 'abandon'>;
  /** Work on runs that have started. */
  readonly executing: Map<LiveRun, Promise<void>>;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
  /** Leaves a run that no other server can have to the next start of this one. @returns whether that is stored. */
  leaveToNextStart(run: LiveRun): Promise<boolean>;
}

/** Leaves the runs of a server that is about to stop to other servers, while it still answers. */
export class LeavingRuns {
  readonly #options: LeavingRunsOptions;
  #isLeaving = false;
  /** Runs that are stored as left to the next start of this server. */
  readonly #leftToNextStart = new WeakSet<LiveRun>();

  constructor(options: LeavingRunsOptions) {
    this.#options = options;
  }

  /** Whether runs are left to other servers, new ones too. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** From now on, no run is started, and those that are executed are left at the end of their supersteps. */
  begin(): void {
    this.#isLeaving = true;
    this.#options.ledger.stopStarting();
  }

  /**
   * Leaves runs as they can be left, and looks for more until the server stops: others that have seen runs of it may hand it
   * another one, and one that can have its runs may still join.
   * @returns when there is none, or none that can be left now, or the signal is aborted.
   */
  leaveAll(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    void this.#keepLeaving(resolve);
    return promise;
  }

  /** @param onNone called whenever there is none to leave, or no other server to leave them to. */
  async #keepLeaving(onNone: () => void): Promise<void> {
    const { holders, live, executing, db, deploymentId, closing, logger } = this.#options;
    while (!closing.aborted) {
      const change = db.bus.next(`node:${db.node}`, closing);
      try {
        const own = await holders.listOwn();
        const threads = new Set([...live.threads(), ...own.map(({ thread_id }) => thread_id)]);
        const isAlone = (await db.findHeir(deploymentId)) === undefined;
        for (const threadId of threads) await (isAlone ? this.#keep(threadId) : this.#give(threadId));
        if (threads.size === 0 || (isAlone && executing.size === 0)) onNone();
      } catch (err) {
        logger.warn({ err }, 'could not leave runs to another server');
      }
      await change;
    }
  }

  /** While runs are left to other servers, a run is at the end of one of its supersteps. */
  leaveAfterStep(run: LiveRun): void {
    const { live, executing, execution, closing, logger } = this.#options;
    const { runId, threadId } = run.identity;
    const isWanted = !run.isToEnd && run.storageFailure === undefined;
    if (!this.#isLeaving || !isWanted || closing.aborted) return;
    live.leave(runId);
    run.waitAgain();
    executing.delete(run);
    execution.abandon(run);
    this.#give(threadId).catch((err: unknown) =>
      logger.warn({ run_id: runId, err }, 'could not leave a run to another server'),
    );
  }

  /** Gives the runs of a thread to another server, unless one of them is worked on here or there is no other server. */
  #give(threadId: string): Promise<void> {
    const { holders, given, db, deploymentId } = this.#options;
    return holders.inTurn(threadId, async () => {
      const heir = await db.findHeir(deploymentId);
      await (heir === undefined ? this.#keep(threadId) : given.give(threadId, heir));
    });
  }

  /** No other server can have the runs of a thread: has the next start of this one go on with the one that was left. */
  async #keep(threadId: string): Promise<void> {
    const { live, executing, leaveToNextStart } = this.#options;
    const left = live.onThread(threadId).find(({ identity }) => live.hasLeft(identity.runId));
    // Its end is being stored when it was canceled meanwhile.
    if (left === undefined || executing.has(left) || this.#leftToNextStart.has(left)) return;
    if (await leaveToNextStart(left)) this.#leftToNextStart.add(left);
  }
}
