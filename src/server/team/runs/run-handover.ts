import type { LiveRun } from '../../agent-server/runs/live-run.ts';
import type { LiveRuns } from '../../agent-server/runs/live-runs.ts';
import type { RunLedger } from '../../agent-server/runs/run-ledger.ts';
import type { HandoverMeters } from '../../meters.ts';
import { isRefused } from '../../storage/refused.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { AdoptedRuns } from './adopted-runs.ts';
import type { FollowedRuns } from './followed-runs.ts';
import type { RunHolders } from './run-holders.ts';

interface RunHandoverOptions {
  readonly db: StateDatabase;
  readonly live: LiveRuns;
  readonly ledger: RunLedger;
  readonly holders: RunHolders;
  readonly adopted: Pick<AdoptedRuns, 'between'>;
  readonly followed: Pick<FollowedRuns, 'keepFollowing'>;
  readonly meters: HandoverMeters;
  /** The work on runs that have started. */
  readonly executing: ReadonlyMap<LiveRun, unknown>;
  schedule(threadId: string): void;
}

/** Hands over the runs of threads to other servers. Clients that read the runs here continue reading. */
export class RunHandover {
  readonly #options: RunHandoverOptions;

  constructor(options: RunHandoverOptions) {
    this.#options = options;
  }

  /**
   * Hands over the unfinished runs of a thread to another server, unless one of them is executing here. Must
   * be called in the thread's turn (`RunHolders.inTurn`).
   * @throws Refused with `stale` when that server has ended; the runs stay here.
   */
  give(threadId: string, heir: string): Promise<void> {
    // No runs are adopted meanwhile: until the handover is stored, these runs would be adopted again as
    // unknown ones.
    return this.#options.adopted.between(() => this.#giveNow(threadId, heir));
  }

  async #giveNow(threadId: string, heir: string): Promise<void> {
    const { db, live, ledger, holders, followed, executing, meters, schedule } = this.#options;
    const line = live.onThread(threadId);
    if (line.some((run) => executing.has(run))) return;
    // From now on, a cancellation of one of the runs is stored for the other server.
    for (const run of line) ledger.remove(run);
    try {
      await holders.handOver(threadId, heir);
    } catch (error) {
      if (isRefused(error, 'stale')) {
        for (const run of line) ledger.restore(run);
        schedule(threadId);
        throw error;
      }
      // The handover may or may not have been stored: runs that still belong to this server are adopted again.
      for (const run of line) followed.keepFollowing(run);
      throw error;
    }
    for (const run of line) followed.keepFollowing(run);
    meters.handovers.count('given', line.length);
    db.bus.hint(`node:${db.node}`);
  }
}
