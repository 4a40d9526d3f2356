import type { LiveRun, RunIdentity } from '../../agent-server/runs/live-run.ts';
import type { JoinedScheduler, SharedScheduling } from '../../agent-server/runs/run-sharing.ts';
import type { HandoverMeters } from '../../meters.ts';
import type { Write } from '../../storage/unit.ts';
import { AdoptedRuns } from './adopted-runs.ts';
import type { FollowedRuns } from './followed-runs.ts';
import { LeavingRuns } from './leaving-runs.ts';
import { RunHandover } from './run-handover.ts';
import type { RunHolders } from './run-holders.ts';
import { SharedSlots } from './shared-slots.ts';

interface TeamSchedulingOptions extends JoinedScheduler {
  readonly holders: RunHolders;
  readonly followed: FollowedRuns;
  readonly meters: HandoverMeters;
}

/** Passes a scheduler's runs between servers that share a database. */
export class TeamScheduling implements SharedScheduling {
  readonly #options: TeamSchedulingOptions;
  readonly #adopted: AdoptedRuns;
  readonly #leaving: LeavingRuns;
  readonly #slots: SharedSlots;

  constructor(options: TeamSchedulingOptions) {
    this.#options = options;
    this.#adopted = new AdoptedRuns(options);
    const handover = new RunHandover({ ...options, adopted: this.#adopted });
    this.#leaving = new LeavingRuns({ ...options, handover });
    this.#slots = new SharedSlots({ ...options, handover, adopted: this.#adopted });
  }

  accept(identity: RunIdentity, prepareThread: Write): Promise<LiveRun> {
    const { holders, acceptHere } = this.#options;
    // No other server knows the thread of a stateless run.
    const isAlone = identity.stateless && !this.#leaving.isLeaving;
    return holders.inTurn(identity.threadId, () =>
      isAlone ? acceptHere(identity, prepareThread) : this.#acceptOrHand(identity, prepareThread),
    );
  }

  /** Accepts a run here, or stores it for the server that has the thread. */
  async #acceptOrHand(identity: RunIdentity, prepareThread: Write): Promise<LiveRun> {
    const { holders, live, db, deploymentId, acceptHere, publishAccepted } = this.#options;
    const { threadId } = identity;
    const seen = await holders.readHolder(threadId);
    const holder = seen.node ?? (this.#leaving.isLeaving ? await db.findHeir(deploymentId) : undefined);
    const hasUnknown = seen.unfinished.some((runId) => live.find(runId) === undefined);
    // Runs that this server will not adopt before it stops continue elsewhere, and so do later runs of the same
    // thread.
    const isForOthers = holder !== db.node || (this.#leaving.isLeaving && hasUnknown);
    if (holder !== undefined && isForOthers) {
      const run = await holders.storeForOther(identity, seen, holder, prepareThread);
      this.#options.meters.handovers.count('given');
      publishAccepted(run);
      return run;
    }
    if (hasUnknown && !this.#leaving.isLeaving) await this.#adopted.adopt();
    return acceptHere(identity, (unit) => {
      prepareThread(unit);
      holders.expectNext(unit, threadId, seen);
    });
  }

  async recover(): Promise<void> {
    await this.#adopted.adopt();
    this.#slots.listen();
    void this.#adopted.keepAdopting();
  }

  noteEnd(runId: string): void {
    this.#adopted.noteEnd(runId);
  }

  askForSlots(): void {
    this.#slots.ask();
  }

  followElsewhere(run: LiveRun): void {
    this.#options.followed.keepFollowing(run);
  }

  leaveAfterStep(run: LiveRun): void {
    this.#leaving.leaveAfterStep(run);
  }

  async leaveAll(signal: AbortSignal): Promise<void> {
    this.#leaving.begin();
    await this.#adopted.stop();
    await this.#leaving.leaveAll(signal);
  }
}
