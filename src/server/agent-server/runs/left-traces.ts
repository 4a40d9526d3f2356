import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { InterruptedTraces } from '../../tracing/interrupted-traces.ts';
import type { RunStore } from './run-store.ts';

const LOOK_MS = 30_000;

export interface LeftTracesOptions {
  readonly db: Pick<StateDatabase, 'duties' | 'listServers'>;
  readonly runs: Pick<RunStore, 'listEnded'>;
  readonly traces: Pick<InterruptedTraces, 'listOpenRuns' | 'endTrace'>;
  readonly deploymentId: string;
  readonly logger: Logger;
}

/**
 * Ends the traces of runs that have ended on servers of a team that are gone, which had not sent the ends of their spans.
 * One server sees to it for all.
 */
export class LeftTraces {
  readonly #options: LeftTracesOptions;
  readonly #duty: string;
  /** The servers that were there at the last look. */
  #known: ReadonlySet<string> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: LeftTracesOptions) {
    this.#options = options;
    this.#duty = `traces:${options.deploymentId}`;
  }

  /** Looks now and then, until it is closed. */
  start(): void {
    const look = () => {
      this.#looking = this.look().catch((err: unknown) =>
        this.#options.logger.warn({ err }, 'could not look for traces that servers have left'),
      );
    };
    look();
    this.#timer = setInterval(look, LOOK_MS).unref();
  }

  /** Leaves it to another server. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    // Others find out when the whole server has ended, if the database cannot be told.
    if (this.#timer !== undefined) await this.#options.db.duties.release(this.#duty).catch(() => {});
  }

  /** Ends what servers have left that have gone since the last look. */
  async look(): Promise<void> {
    const { db, runs, traces } = this.#options;
    if (!(await db.duties.take(this.#duty))) return;
    const servers = await db.listServers();
    if (this.#known !== undefined && [...this.#known].every((server) => servers.has(server))) return;
    const ended = await runs.listEnded(await traces.listOpenRuns());
    // Asked for last: whoever has ended one of these runs and is not there now is gone.
    const alive = await db.listServers();
    for (const { run_id, lease_owner } of ended) {
      if (lease_owner !== null && !alive.has(lease_owner)) await traces.endTrace(run_id);
    }
    this.#known = servers;
  }
}
