import { badRequest, type HttpError } from '../../http/errors.ts';
import type { Logger } from '../../logger.ts';
import { DutyLostError } from '../../storage/duties.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { Builder } from '../builds/builder.ts';
import { Leftovers } from '../builds/leftovers.ts';
import type { DeploymentStore } from '../data/deployment-store.ts';
import { readRevisionConfig } from '../data/deployment-wire.ts';
import { type RevisionRow, type RevisionStore, UNFINISHED, WAITING } from '../data/revision-store.ts';
import { REVISIONS_CHANGED } from '../data/revisions-changed.ts';
import type { Pruning } from './pruning.ts';
import { dutyOf, type RevisionSteps, Stopped } from './revision-steps.ts';
import type { RevisionWork } from './revision-work.ts';

/** How many times the build or the rollout of a revision may be started before the revision fails. */
const MAX_ATTEMPTS = 3;

export interface RevisionPipelineOptions {
  readonly db: StateDatabase;
  readonly revisions: RevisionStore;
  readonly steps: RevisionSteps;
  readonly deployments: DeploymentStore;
  readonly builder: Builder;
  readonly pruning: Pruning;
  /** Runs the steps of each revision. */
  readonly work: RevisionWork;
  readonly logger: Logger;
  /** Whether this server works on revisions, or leaves all of them to other servers. */
  readonly builds: boolean;
}

/** The work that this server is doing on a deployment. */
interface Work {
  /** The revision that is being built or deployed. */
  revisionId: string | undefined;
  /** Whether another server turned out to be working on the deployment. */
  isElsewhere: boolean;
  readonly abort: AbortController;
  done: Promise<void>;
}

/**
 * Builds and deploys revisions, one at a time per deployment and the newest first. After a crash, it continues with the
 * stored status of each revision.
 */
export class RevisionPipeline {
  readonly #options: RevisionPipelineOptions;
  readonly #steps: RevisionSteps;
  readonly #leftovers: Leftovers;
  /** The work on each deployment, by its ID. */
  readonly #working = new Map<string, Work>();
  /** Whether this server still starts working on revisions, or leaves them to other servers. */
  #takesOn: boolean;
  #closed = false;

  constructor(options: RevisionPipelineOptions) {
    this.#options = options;
    this.#steps = options.steps;
    this.#leftovers = new Leftovers(options.logger);
    this.#takesOn = options.builds;
  }

  /** Whether anything is being built or deployed. */
  get busy(): boolean {
    return this.#working.size > 0;
  }

  /** Whether this server is working on a deployment. */
  isWorkingOn(deploymentId: string): boolean {
    return this.#working.has(deploymentId);
  }

  /** Continues unfinished revisions that no server works on, because the one that did has ended. */
  async continueLeft(): Promise<void> {
    const { db, revisions } = this.#options;
    if (!this.#takesOn) return;
    const unfinished = (await revisions.listUnfinished()).filter((revision) => !lacksSource(revision));
    if (unfinished.length === 0) return;
    // The names of all duties for deployments begin like the name for an empty ID.
    const taken = await db.duties.listTakenElsewhere(dutyOf(''));
    for (const id of new Set(unfinished.map(({ deployment_id }) => deployment_id)))
      if (!taken.has(dutyOf(id)) && !this.#working.has(id)) this.notice(id);
  }

  /**
   * Starts work on a deployment's newest waiting revision, or leaves it to another server. If this server already works
   * on the deployment, the revision follows. Older waiting revisions are skipped.
   */
  notice(deploymentId: string): void {
    if (this.#closed) return;
    if (!this.#takesOn) {
      this.#options.db.bus.hint(REVISIONS_CHANGED);
      return;
    }
    if (this.#working.has(deploymentId)) {
      void this.#skipOvertaken(deploymentId).catch((error: unknown) => this.#logError(error, deploymentId));
      return;
    }
    void this.#occupy(deploymentId, (work) => this.#work(deploymentId, work));
  }

  /** Runs a task for a deployment, unless this server is working on it. */
  async whileIdle(deploymentId: string, task: () => Promise<unknown>): Promise<void> {
    if (this.#closed || this.#working.has(deploymentId)) return;
    await this.#occupy(deploymentId, task);
  }

  /**
   * Runs a task for a deployment as soon as this server is not working on it, unless the pipeline is closed
   * by then.
   * @throws the error of the task.
   */
  async #onceIdle(deploymentId: string, task: () => Promise<void>): Promise<void> {
    while (this.#working.has(deploymentId)) await this.#working.get(deploymentId)?.done;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (this.#closed) return;
    await this.#occupy(deploymentId, () => task().then(resolve, reject));
    await promise;
  }

  /** Runs work for a deployment that has no other work at the moment. */
  #occupy(deploymentId: string, task: (work: Work) => Promise<unknown>): Promise<void> {
    const work: Work = {
      revisionId: undefined,
      isElsewhere: false,
      abort: new AbortController(),
      done: Promise.resolve(),
    };
    this.#working.set(deploymentId, work);
    work.done = task(work)
      .catch((error: unknown) => this.#logError(error, deploymentId))
      .finally(() => this.#working.delete(deploymentId))
      // A revision may have been added while the work was being done.
      .then(() => (work.isElsewhere ? undefined : this.#noticeAgain(deploymentId)))
      .catch((error: unknown) => this.#logError(error, deploymentId));
    return work.done;
  }

  /** Continues the unfinished revisions of an earlier server. */
  async recover(): Promise<void> {
    const { db, revisions, deployments, builder, pruning } = this.#options;
    await this.#leftovers.remove(() => pruning.removeOrphans());
    if (!this.#takesOn) return;
    const left = await revisions.listInProgress();
    for (const id of new Set(left.map(({ deployment_id }) => deployment_id))) {
      // If the duty is taken, another server is working on the deployment.
      if (await db.duties.take(dutyOf(id))) await this.#putBackInProgress(id);
    }
    for (const { id } of await deployments.listBuilt()) {
      const removeUnfinished = () => builder.folder(id).removeUnfinished();
      await this.#leftovers.remove(removeUnfinished, () => this.#onceIdle(id, removeUnfinished));
      this.notice(id);
    }
  }

  /**
   * Puts back revisions whose server has ended, so that they continue. Revisions that have been started too
   * often fail.
   */
  async #putBackInProgress(deploymentId: string): Promise<void> {
    for (const revision of await this.#options.revisions.listInProgress(deploymentId)) {
      const building = revision.status === 'BUILDING';
      if (revision.attempts >= MAX_ATTEMPTS) {
        const what = building ? 'built' : 'rolled out';
        await this.#steps.takeOnDuty(revision, building ? 'BUILD_FAILED' : 'DEPLOY_FAILED', {
          from: [revision.status],
          message: `The server stopped ${revision.attempts} times while this revision was being ${what}.`,
        });
      } else {
        await this.#steps.takeOnDuty(revision, building ? 'AWAITING_BUILD' : 'AWAITING_DEPLOY', {
          from: [revision.status],
          message: 'The server was restarted. Continuing with this revision.',
        });
      }
    }
  }

  /**
   * Interrupts an unfinished revision, whichever server works on it.
   * @throws HttpError 400 when it has already ended.
   */
  async interrupt(revision: RevisionRow): Promise<void> {
    const work = this.#working.get(revision.deployment_id);
    if (work?.revisionId === revision.id) {
      work.abort.abort(new Stopped('interrupted'));
      await work.done;
    }
    // Work on another server can go on for a moment, but its steps are no longer stored.
    if (await this.#steps.take(revision, 'INTERRUPTED', { from: UNFINISHED, message: 'Interrupted.' })) {
      this.#options.db.bus.hint(REVISIONS_CHANGED);
      return;
    }
    // The work may have ended by itself at that moment, or may only have been cleaning up.
    const ended = (await this.#options.revisions.find(revision.deployment_id, revision.id)) ?? revision;
    if (ended.status !== 'INTERRUPTED' || revision.status === 'INTERRUPTED') throw notUnderWay(ended);
  }

  /** Stops the work on a deployment that is being deleted, whichever server does it, and then removes the deployment. */
  async abandon(deploymentId: string, remove: () => Promise<void>): Promise<void> {
    const { duties, bus } = this.#options.db;
    const duty = dutyOf(deploymentId);
    const work = this.#working.get(deploymentId);
    work?.abort.abort(new Stopped('deleted'));
    await work?.done;
    bus.hint(REVISIONS_CHANGED);
    await duties.takeWhenFree(duty);
    try {
      await remove();
    } finally {
      await duties.release(duty).catch((error: unknown) => this.#logError(error, deploymentId));
    }
  }

  /** Leaves waiting revisions to other servers. */
  leave(): void {
    this.#takesOn = false;
  }

  /** Stops running commands. Unfinished revisions continue at the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#leftovers.close();
    const all = [...this.#working.values()];
    for (const work of all) work.abort.abort(new Stopped('closing'));
    await Promise.all(all.map((work) => work.done));
  }

  /** Continues with a revision that was added while other work was being done. */
  async #noticeAgain(deploymentId: string): Promise<void> {
    if (this.#closed || this.#working.has(deploymentId)) return;
    const { db, revisions } = this.#options;
    const waiting = await db.outlasting(() => revisions.listWaiting(deploymentId));
    const newest = waiting.at(-1);
    if (newest !== undefined && !lacksSource(newest)) this.notice(deploymentId);
  }

  /** Works on the revisions of a deployment, unless another server does. */
  async #work(deploymentId: string, work: Work): Promise<void> {
    const { db } = this.#options;
    const duty = dutyOf(deploymentId);
    work.isElsewhere = !(await db.outlasting(() => db.duties.take(duty)));
    if (work.isElsewhere) return;
    try {
      await this.#putBackInProgress(deploymentId);
      await this.#workOnWaiting(deploymentId, work);
    } catch (error) {
      if (!(error instanceof DutyLostError)) throw error;
      work.isElsewhere = true;
    } finally {
      await db.outlasting(() => db.duties.release(duty));
    }
  }

  /** Works on the newest waiting revision of a deployment, until none waits. */
  async #workOnWaiting(deploymentId: string, work: Work): Promise<void> {
    for (;;) {
      if (work.abort.signal.aborted || !this.#takesOn) return;
      const revision = await this.#skipOvertaken(deploymentId);
      const deployment = await this.#options.deployments.get(deploymentId);
      if (revision === undefined || deployment === undefined || deployment.status === 'AWAITING_DELETE')
        return;
      if (lacksSource(revision)) {
        await this.#steps.take(revision, 'QUEUED', {
          from: ['CREATING'],
          message: 'Waiting for the source. Upload a tarball and set source_tarball_path.',
        });
        return;
      }
      work.revisionId = revision.id;
      const ended = new AbortController();
      void this.#watchForStop(revision, work.abort, ended.signal);
      await this.#options.work.run(deployment, revision, work.abort.signal).finally(() => ended.abort());
    }
  }

  /** Stops work on a revision when another server has interrupted the revision, or deletes the deployment. */
  async #watchForStop(revision: RevisionRow, abort: AbortController, ended: AbortSignal): Promise<void> {
    const { db, revisions, deployments } = this.#options;
    while (!ended.aborted && !abort.signal.aborted) {
      await db.bus.next(REVISIONS_CHANGED, ended);
      if (ended.aborted) return;
      try {
        const { deployment_id: id } = revision;
        const [row, deployment] = [await revisions.find(id, revision.id), await deployments.get(id)];
        if (deployment === undefined || deployment.status === 'AWAITING_DELETE')
          abort.abort(new Stopped('deleted'));
        else if (row?.status === 'INTERRUPTED') abort.abort(new Stopped('ended'));
      } catch (error) {
        this.#logError(error, revision.id);
      }
    }
  }

  /** Skips all waiting revisions except the newest. @returns the newest. */
  async #skipOvertaken(deploymentId: string): Promise<RevisionRow | undefined> {
    const waiting = await this.#options.revisions.listWaiting(deploymentId);
    const newest = waiting.at(-1);
    const working = this.#working.get(deploymentId)?.revisionId;
    for (const revision of waiting) {
      if (revision === newest || revision.id === working) continue;
      await this.#steps.take(revision, 'SKIPPED', {
        from: WAITING,
        message: 'Replaced by a newer revision.',
      });
    }
    if (newest?.status === 'CREATING' && working !== undefined && newest.id !== working) {
      await this.#steps.take(newest, 'QUEUED', {
        from: ['CREATING'],
        message: 'Waiting for the previous revision to finish.',
      });
    }
    return newest;
  }

  #logError(error: unknown, id: string): void {
    this.#options.logger.error({ err: error, id }, 'could not process a revision');
  }
}

/** Whether the source of a revision has not been uploaded yet. */
function lacksSource(revision: RevisionRow): boolean {
  if (revision.source !== 'internal_source' || revision.build_key !== null) return false;
  return !readRevisionConfig(revision.source_revision_config).source_tarball_path;
}

function notUnderWay(revision: RevisionRow): HttpError {
  return badRequest(`Revision ${revision.id} is ${revision.status}. There is nothing to interrupt.`);
}
