import { formatCount } from '../../../process/format-count.ts';
import type { ChangeFeed } from '../../http/change-feed.ts';
import type { Logger } from '../../logger.ts';
import type { Meters } from '../../meters.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { DeploymentStore } from '../data/deployment-store.ts';
import type { LogStore } from '../data/log-store.ts';
import type { DrainingRow, RevisionStore } from '../data/revision-store.ts';
import { REVISIONS_CHANGED } from '../data/revisions-changed.ts';
import type { DeploymentServers } from './deployment-servers.ts';

/** The pause before the runs of draining revisions are counted again. */
const COUNT_AGAIN_MS = 1_000;

export interface DrainingRevisionsOptions {
  readonly db: StateDatabase;
  readonly revisions: RevisionStore;
  readonly deployments: DeploymentStore;
  readonly servers: Pick<DeploymentServers, 'keepDraining' | 'endDrained' | 'hasRunsOf'>;
  readonly logs: LogStore;
  readonly changes: ChangeFeed;
  readonly meters: Pick<Meters, 'drainingRuns'>;
  readonly logger: Logger;
}

/**
 * Ends the draining of a revision when the last run that began on it has ended, when the time for draining is
 * over, or on request. In a team, the runs on all servers count: one server ends the draining and announces
 * it, and each server stops its own processes.
 */
export class DrainingRevisions {
  readonly #options: DrainingRevisionsOptions;
  readonly #closing = new AbortController();
  /** The counted runs of each draining revision, by ID. */
  #counts = new Map<string, number>();
  #loop: Promise<void> = Promise.resolve();

  constructor(options: DrainingRevisionsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop = this.#follow();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#loop;
  }

  async #follow(): Promise<void> {
    const { db, logger } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const timeout = new AbortController();
      const changed = db.bus.next(REVISIONS_CHANGED, AbortSignal.any([signal, timeout.signal]));
      const isDraining = await this.#look().catch((err: unknown) => {
        if (!signal.aborted) logger.warn({ err }, 'could not look for draining revisions');
        return true;
      });
      const timer = isDraining ? setTimeout(() => timeout.abort(), COUNT_AGAIN_MS) : undefined;
      await changed;
      clearTimeout(timer);
    }
  }

  /** Ends the draining of revisions that are due, and counts the runs of the others. @returns whether to look again. */
  async #look(): Promise<boolean> {
    const { revisions, servers, meters } = this.#options;
    const draining: DrainingRow[] = [];
    for (const row of await revisions.listDraining()) {
      servers.keepDraining(row.deployment_id, row.id, Date.parse(row.draining_until));
      if (!(await this.#endIfDue(row))) draining.push(row);
    }
    for (const row of draining) await this.#publishCount(row);
    this.#counts = new Map(draining.map(({ id, runs }) => [id, runs]));
    meters.drainingRuns = draining.reduce((sum, { runs }) => sum + runs, 0);
    const areLeft = await servers.endDrained(new Set(draining.map(({ id }) => id)));
    return draining.length > 0 || areLeft;
  }

  /**
   * Ends the draining of a revision early, on all servers.
   * @returns whether it was draining.
   */
  async end(deploymentId: string, revisionId: string): Promise<boolean> {
    const draining = await this.#options.revisions.listDraining(deploymentId);
    const row = draining.find(({ id }) => id === revisionId);
    if (row === undefined) return false;
    const left = row.runs === 0 ? '' : leftText(row.runs);
    return this.#end(row, 'INFO', `The draining of revision ${row.id} was ended on request.${left}`);
  }

  /** Ends the draining of a revision if it is due. @returns whether it was due. */
  async #endIfDue(row: DrainingRow): Promise<boolean> {
    const { id, deployment_id: deploymentId, runs } = row;
    const isLate = Date.parse(row.draining_until) <= Date.now();
    // The database may not have a run that has just begun on this server.
    const isEmpty = runs === 0 && !this.#options.servers.hasRunsOf(deploymentId, id);
    if (!isLate && !isEmpty) return false;
    if (isEmpty) await this.#end(row, 'INFO', `Revision ${id} has drained: no run is left on it.`);
    else {
      const message = `The time for draining revision ${id} is over (${row.draining_until}).${leftText(runs)}`;
      await this.#end(row, 'WARNING', message);
    }
    return true;
  }

  /**
   * Ends the draining of a revision, and writes the message to its log.
   * @returns false, without a message, if it was no longer draining.
   */
  async #end(row: DrainingRow, level: 'INFO' | 'WARNING', message: string): Promise<boolean> {
    const { db, revisions, logs } = this.#options;
    if (!(await revisions.endDraining(row))) return false;
    logs.write({ deploymentId: row.deployment_id, revisionId: row.id, stream: 'deploy' }, level, message);
    await this.#publish(row);
    db.bus.hint(REVISIONS_CHANGED);
    return true;
  }

  async #publishCount(row: DrainingRow): Promise<void> {
    if (this.#counts.get(row.id) !== row.runs) await this.#publish(row);
  }

  /** Announces to clients that a draining revision has changed. */
  async #publish({ id, deployment_id }: DrainingRow): Promise<void> {
    const { changes, deployments } = this.#options;
    // Clients that are not notified see the change at their next request.
    const deployment = await deployments.get(deployment_id).catch(() => undefined);
    if (deployment === undefined) return;
    changes.publish(deployment.workspace_id, { resource: 'revision', action: 'updated', id, deployment_id });
  }
}

function leftText(runs: number): string {
  return ` ${formatCount(runs, 'unfinished run')} will continue on the live revision.`;
}
