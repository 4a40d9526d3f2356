import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { LiveRun } from './live-run.ts';

const LEASE_MS = 60_000;

export interface RunLeasesOptions {
  readonly db: StateDatabase;
  readonly logger: Logger;
  /** Names this server process in the leases it takes. */
  readonly serverId: string;
  readonly runs: () => readonly LiveRun[];
}

/** Marks running runs with their server process and an expiry time. */
export class RunLeases {
  readonly #options: RunLeasesOptions;
  readonly #timer: NodeJS.Timeout;

  constructor(options: RunLeasesOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#renew(), LEASE_MS / 3).unref();
  }

  /** The columns of a run that is taken now. */
  makeLease(): { lease_owner: string; lease_expires_at: string } {
    return {
      lease_owner: this.#options.serverId,
      lease_expires_at: new Date(Date.now() + LEASE_MS).toISOString(),
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const { db, logger, runs } = this.#options;
    const running = runs().filter((run) => run.state === 'running');
    if (running.length === 0) return;
    await db
      .updateTable('runs')
      .set({ lease_expires_at: this.makeLease().lease_expires_at })
      .where(
        'run_id',
        'in',
        running.map((run) => run.identity.runId),
      )
      .execute()
      .catch((error: unknown) => logger.warn({ err: error }, 'could not renew leases'));
  }
}
