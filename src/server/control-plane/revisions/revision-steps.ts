import type { Kysely } from 'kysely';
import type { ChangeFeed } from '../../http/change-feed.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { StateSchema } from '../../storage/state-schema.ts';
import type { DeploymentStore } from '../data/deployment-store.ts';
import type { RevisionRow, RevisionStore, StatusStep } from '../data/revision-store.ts';

/**
 * Why the work on a revision was stopped: a user interrupted the revision, its deployment is being deleted, the server is
 * closing, or the revision has ended in another way.
 */
export type StopReason = 'interrupted' | 'deleted' | 'closing' | 'ended';

/** The work on a revision was stopped. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(`The work on the revision was stopped (${reason}).`);
    this.reason = reason;
  }
}

/** The name of the duty to work on a deployment's revisions. One server has this duty at a time. */
export function dutyOf(deploymentId: string): string {
  return `deployment:${deploymentId}`;
}

export interface RevisionStepsOptions {
  readonly db: StateDatabase;
  readonly revisions: RevisionStore;
  readonly deployments: DeploymentStore;
  readonly changes: ChangeFeed;
}

/** A step that only the server with the duty may take. */
type StepOnDuty = Omit<StatusStep, 'to'> & {
  /** Writes that are stored together with the step. */
  readonly also?: (db: Kysely<StateSchema>) => Promise<void>;
};

/** Changes the statuses of revisions, and announces each change to clients. */
export class RevisionSteps {
  readonly #options: RevisionStepsOptions;

  constructor(options: RevisionStepsOptions) {
    this.#options = options;
  }

  /**
   * Moves a revision to a status, whichever server works on it.
   * @returns whether the revision was in one of the expected statuses.
   */
  async take(
    revision: RevisionRow,
    to: RevisionRow['status'],
    step: Omit<StatusStep, 'to'>,
  ): Promise<boolean> {
    const done = await this.#options.revisions.step(revision.id, { to, ...step });
    if (done) await this.#publish(revision);
    return done;
  }

  /**
   * Like `take`, for the server that works on the revision; retries as long as the database cannot be reached.
   * @throws DutyLostError when another server now works on the deployment.
   */
  async takeOnDuty(revision: RevisionRow, to: RevisionRow['status'], step: StepOnDuty): Promise<boolean> {
    const { db, revisions } = this.#options;
    const { also, ...rest } = step;
    let { from } = step;
    const write = async (transaction: Kysely<StateSchema>) => {
      const isDone = await revisions.step(revision.id, { ...rest, from, to }, transaction);
      if (isDone) await also?.(transaction);
      return isDone;
    };
    const done = await db.outlasting(async () => {
      try {
        return await db.duties.write(dutyOf(revision.deployment_id), write);
      } finally {
        // The step may have been stored even if the response was lost.
        from = [...step.from, to];
      }
    });
    if (done) await this.#publish(revision);
    return done;
  }

  /** Like `takeOnDuty`. @throws Stopped when the revision is in none of the expected statuses, because it has ended. */
  async begin(revision: RevisionRow, to: RevisionRow['status'], step: StepOnDuty): Promise<void> {
    if (!(await this.takeOnDuty(revision, to, step))) throw new Stopped('ended');
  }

  /** Announces to clients that a revision of a deployment has changed. */
  async #publish({ id, deployment_id }: RevisionRow): Promise<void> {
    const { changes, deployments } = this.#options;
    // The step is stored, so clients that are not notified see it at their next request.
    const deployment = await deployments.get(deployment_id).catch(() => undefined);
    if (deployment === undefined) return;
    const { workspace_id: workspaceId } = deployment;
    changes.publish(workspaceId, { resource: 'revision', action: 'updated', id, deployment_id });
    changes.publish(workspaceId, { resource: 'deployment', action: 'updated', id: deployment_id });
  }
}
