import type { Logger } from '../logger.ts';
import type { Topic } from '../storage/bus.ts';
import type { StateDatabase } from '../storage/state-database.ts';

/** Notified when a deployment has been paused or resumed. */
export const PAUSES_CHANGED: Topic = 'deployments:paused';

export interface PausedDeploymentsOptions {
  readonly db: StateDatabase;
  readonly logger: Logger;
  /** Called with the IDs of all paused deployments each time that they have been read. */
  onRead(paused: ReadonlySet<string>): void;
}

/** Reads which deployments are paused, and follows changes, also those made on other servers. */
export class PausedDeployments {
  readonly #options: PausedDeploymentsOptions;
  readonly #closing = new AbortController();

  constructor(options: PausedDeploymentsOptions) {
    this.#options = options;
  }

  /** Whether a deployment is paused. */
  async read(deploymentId: string): Promise<boolean> {
    const row = await this.#select().where('id', '=', deploymentId).executeTakeFirst();
    return row !== undefined;
  }

  /** Follows changes until it is closed. */
  async follow(): Promise<void> {
    const { db, logger, onRead } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const change = db.bus.next(PAUSES_CHANGED, signal);
      try {
        onRead(new Set((await this.#select().execute()).map(({ id }) => id)));
      } catch (err) {
        if (!signal.aborted) logger.warn({ err }, 'could not read which deployments are paused');
      }
      await change;
    }
  }

  close(): void {
    this.#closing.abort();
  }

  #select() {
    return this.#options.db.selectFrom('deployments').select('id').where('paused_at', 'is not', null);
  }
}
