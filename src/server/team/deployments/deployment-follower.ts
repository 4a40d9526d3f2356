import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { messageOf } from '../../../process/message-of.ts';
import type { DeploymentRow } from '../../control-plane/data/deployment-store.ts';
import { REVISIONS_CHANGED } from '../../control-plane/data/revisions-changed.ts';
import type { Follower, FollowerOptions } from '../../control-plane/deployments/follower.ts';
import { dutyOf } from '../../control-plane/revisions/revision-steps.ts';
import { Slots } from '../../control-plane/revisions/slots.ts';
import { buildAgain } from '../../control-plane/serving/build-again.ts';
import { HttpError } from '../../http/errors.ts';

/** How many deployments are fetched or built at the same time. */
const AT_ONCE = 2;
/** The pause before serving a revision here is tried again after a failure. */
const RETRY_MS = 30_000;
/** The pause while the database does not answer. */
const PAUSE_MS = 1_000;

/**
 * Serves deployments on this server that any server of the team has deployed, and continues revisions that another
 * server has left unfinished.
 */
export class DeploymentFollower implements Follower {
  readonly #options: FollowerOptions;
  readonly #abort = new AbortController();
  readonly #slots = new Slots(AT_ONCE);
  readonly #following = new Map<string, Promise<void>>();
  /** Revisions that could not be served here, with the time of the failure. */
  readonly #failed = new Map<string, number>();
  #loop: Promise<void> = Promise.resolve();

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop = this.#follow();
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#loop;
    await Promise.allSettled(this.#following.values());
  }

  /**
   * Serves a deployment that this server does not serve yet.
   * @returns false for an unknown deployment, or one that has no revision to serve yet.
   * @throws HttpError 503 when it cannot be served here.
   */
  async bring(deploymentId: string): Promise<boolean> {
    const { stores, servers } = this.#options;
    const row = await stores.deployments.get(deploymentId);
    if (row === undefined || row.active_revision_id === null || isGone(row)) return false;
    const isServed = servers.revisionOf(deploymentId) !== undefined;
    // A revision that has just failed here is not tried again for each request.
    if (!isServed && !this.#hasFailed(row.active_revision_id))
      await this.#catchUp(row, row.active_revision_id);
    if (servers.revisionOf(deploymentId) !== undefined) return true;
    const reason = this.#hasFailed(row.active_revision_id)
      ? `cannot be served on server ${this.#options.db.node}. Its log says why.`
      : 'is not served here yet. Try again.';
    throw new HttpError(503, `Deployment ${row.name} ${reason}`, { 'retry-after': '2' });
  }

  /** Whether serving a revision here has just failed. */
  #hasFailed(revisionId: string): boolean {
    return Date.now() - (this.#failed.get(revisionId) ?? 0) < RETRY_MS;
  }

  async #follow(): Promise<void> {
    const { db, logger } = this.#options;
    const { signal } = this.#abort;
    while (!signal.aborted) {
      const changed = db.bus.next(REVISIONS_CHANGED, signal);
      try {
        await this.#look();
        await changed;
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ err: error }, 'could not look for changes of deployments');
        await sleep(PAUSE_MS);
      }
    }
  }

  async #look(): Promise<void> {
    const { db, deployments, stores, servers, pipeline, pruning } = this.#options;
    const rows = await stores.deployments.listBuilt();
    const known = new Set(rows.map(({ id }) => id));
    const gone = servers.ids.filter((id) => !known.has(id) && !pipeline.isWorkingOn(id));
    for (const id of gone) await servers.remove({ id, source: 'internal_source' });
    if (gone.length > 0) await pruning.removeOrphans();
    for (const row of rows) {
      const { id, active_revision_id: active } = row;
      if (isGone(row) || active === null) continue;
      const isBehind = servers.revisionOf(id) !== active && !pipeline.isWorkingOn(id);
      if (isBehind && !this.#hasFailed(active)) void this.#catchUp(row, active);
    }
    if (rows.some(isGone)) {
      const taken = await db.duties.listTakenElsewhere(dutyOf(''));
      await deployments.recover((id) => !taken.has(dutyOf(id)));
    }
    await pipeline.continueLeft();
  }

  /** Serves a revision; concurrent calls share one attempt. */
  #catchUp(row: DeploymentRow, revisionId: string): Promise<void> {
    const current = this.#following.get(row.id);
    if (current !== undefined) return current;
    const { logger, stores } = this.#options;
    const following = this.#slots
      .use(this.#abort.signal, () => this.#serve(row, revisionId))
      .catch((error: unknown) => {
        if (this.#abort.signal.aborted) return;
        // If the database could not be read, the revision is tried again as soon as it can be.
        if (!(error instanceof DatabaseUnreachable)) this.#failed.set(revisionId, Date.now());
        logger.error({ err: error, deployment_id: row.id }, 'could not serve a revision');
        const place = { deploymentId: row.id, revisionId, stream: 'deploy' } as const;
        stores.logs.write(
          place,
          'ERROR',
          `Not served on server ${this.#options.db.node}: ${messageOf(error)}`,
        );
      })
      .finally(() => this.#following.delete(row.id));
    this.#following.set(row.id, following);
    return following;
  }

  async #serve({ id }: DeploymentRow, revisionId: string): Promise<void> {
    const { servers, stores, builder, pipeline, pruning } = this.#options;
    const revision = await stores.revisions.find(id, revisionId);
    if (revision === undefined || servers.revisionOf(id) === revisionId) return;
    const own = await builder.find(revision);
    // A build on the disk has usually been served here, but serving it may also have failed.
    const isTried = own !== undefined && !this.#failed.has(revisionId);
    const built = {
      build: own ?? (await buildAgain({ builder, logs: stores.logs }, revision, this.#abort.signal)),
      isTried,
    };
    const findDue = () => this.#findDue(id, revisionId);
    if (await servers.follow(revision, built, findDue, this.#abort.signal)) {
      this.#failed.delete(revisionId);
      await pipeline.whileIdle(id, () => pruning.pruneHere(id));
    } else if (isGone(await stores.deployments.get(id))) await builder.folder(id).removeAll();
  }

  /** The deployment of a revision; undefined if this server does not have to serve the revision any longer. */
  async #findDue(id: string, revisionId: string): Promise<DeploymentRow | undefined> {
    const { servers, stores, pipeline } = this.#options;
    const row = await stores.deployments.get(id);
    const served = servers.revisionOf(id);
    // While the pipeline works on the deployment, the served revision may be the one that becomes active
    // next.
    const isAhead = served !== undefined && pipeline.isWorkingOn(id);
    const isDue = row?.active_revision_id === revisionId && !isGone(row) && served !== revisionId && !isAhead;
    return isDue ? row : undefined;
  }
}

/** Whether a deployment has been deleted, or is about to be. */
function isGone(row: DeploymentRow | undefined): boolean {
  return row === undefined || row.status === 'AWAITING_DELETE';
}
