import type { RunRow } from '../../agent-server/data/run-store.ts';
import type { Cancelled, LiveRun } from '../../agent-server/runs/live-run.ts';
import type {
  JoinedScheduler,
  RunSharing,
  RunSharingOptions,
  SharedScheduling,
} from '../../agent-server/runs/run-sharing.ts';
import type { HandoverMeters } from '../../meters.ts';
import type { Unit } from '../../storage/unit.ts';
import { FollowedRuns } from './followed-runs.ts';
import { RunHolders } from './run-holders.ts';
import { TeamScheduling } from './team-scheduling.ts';

interface TeamRunsOptions extends RunSharingOptions {
  readonly meters: HandoverMeters;
}

/** The runs of a deployment, distributed over the servers of a team. */
export class TeamRuns implements RunSharing {
  readonly holders: RunHolders;
  readonly #followed: FollowedRuns;
  readonly #meters: HandoverMeters;

  constructor(options: TeamRunsOptions) {
    this.#meters = options.meters;
    this.#followed = new FollowedRuns(options);
    this.holders = new RunHolders({ ...options, followed: this.#followed });
  }

  expectOwn(unit: Unit, runId: string): void {
    this.holders.expectOwn(unit, runId);
  }

  cancel(runId: string, threadId: string, cancelled: Cancelled): Promise<void> {
    return this.holders.cancel(runId, threadId, cancelled);
  }

  listAll(threadId?: string): Promise<RunRow[]> {
    return this.holders.listAll(threadId);
  }

  follow(row: RunRow): Promise<LiveRun> {
    return this.#followed.follow(row);
  }

  join(scheduler: JoinedScheduler): SharedScheduling {
    return new TeamScheduling({
      ...scheduler,
      holders: this.holders,
      followed: this.#followed,
      meters: this.#meters,
    });
  }

  close(): void {
    this.#followed.close();
  }
}
