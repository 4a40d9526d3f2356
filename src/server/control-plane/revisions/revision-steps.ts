import type { Kysely } from 'kysely';
import type { ChangeFeed } from '../../http/change-feed.ts';
import { DutyLost } from '../../storage/duties.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { StateSchema } from '../../storage/state-schema.ts';
import type { DeploymentRow, DeploymentStore } from '../deployments/deployment-store.ts';
import type { RevisionRow, RevisionStore, StatusStep } from './revision-store.ts';

/** Why processing a revision was stopped. */
export type Ending = 'interrupted' | 'deleted' | 'closing' | 'ended';

export class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly ending: Ending;
  constructor(ending: Ending) {
    super(`The revision was ${ending}.`);
    this.ending = ending;
  }
}

/** Tells other servers to look at deployments and their revisions. */
export const REVISIONS_CHANGED = 'revisions:changed';

/** Working on the revisions of a deployment, which one server does at a time. */
export function dutyOf(deploymentId: string): string {
  return `deployment:${deploymentId}`;
}

export interface RevisionStepsOptions {
  readonly db: StateDatabase;
  readonly revisions: RevisionStore;
  readonly deployments: DeploymentStore;
  readonly changes: ChangeFeed;
}

/** Moves revisions from one status to the next, and says so to who looks at them. */
export class RevisionSteps {
  readonly #options: RevisionStepsOptions;

  constructor(options: RevisionStepsOptions) {
    this.#options = options;
  }

  /**
   * Moves to a status, whoever works on the revision.
   * @returns whether the revision was in one of the statuses that the step is from.
   */
  async take(
    revision: RevisionRow,
    to: RevisionRow['status'],
    step: Omit<StatusStep, 'to'>,
  ): Promise<boolean> {
    const done = await this.#options.revisions.step(revision.id, { to, ...step });
    if (done) await this.#publishStep(revision);
    return done;
  }

  /** As `take`, for the server that works on the revision. @throws Stopped when another one does. */
  async takeOnDuty(
    revision: RevisionRow,
    to: RevisionRow['status'],
    step: Omit<StatusStep, 'to'>,
  ): Promise<boolean> {
    const { revisions } = this.#options;
    const done = await this.writeOnDuty(revision.deployment_id, (db) =>
      revisions.step(revision.id, { to, ...step }, db),
    );
    if (done) await this.#publishStep(revision);
    return done;
  }

  /** As `takeOnDuty`. @throws Stopped also when the revision has been ended since. */
  async begin(revision: RevisionRow, to: RevisionRow['status'], step: Omit<StatusStep, 'to'>): Promise<void> {
    if (!(await this.takeOnDuty(revision, to, step))) throw new Stopped('ended');
  }

  /** Writes in a transaction, if this server still works on the deployment. @throws Stopped otherwise. */
  async writeOnDuty<Result>(
    deploymentId: string,
    write: (db: Kysely<StateSchema>) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await this.#options.db.duties.write(dutyOf(deploymentId), write);
    } catch (error) {
      throw error instanceof DutyLost ? new Stopped('ended') : error;
    }
  }

  /** Tells who looks at the deployment that a revision of it has changed. */
  publish(deployment: DeploymentRow, revision: RevisionRow): void {
    const { changes } = this.#options;
    const { id: deploymentId, workspace_id: workspaceId } = deployment;
    changes.publish(workspaceId, {
      resource: 'revision',
      action: 'updated',
      id: revision.id,
      deployment_id: deploymentId,
    });
    changes.publish(workspaceId, { resource: 'deployment', action: 'updated', id: deploymentId });
  }

  async #publishStep(revision: RevisionRow): Promise<void> {
    const deployment = await this.#options.deployments.get(revision.deployment_id);
    if (deployment !== undefined) this.publish(deployment, revision);
  }
}
