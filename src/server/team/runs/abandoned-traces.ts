import type {
  AbandonedTraceEnder,
  AbandonedTracesOptions,
} from '../../agent-server/runs/abandoned-traces.ts';
import { listEndedRuns } from '../../agent-server/runs/list-ended-runs.ts';

/** The interval of the checks. */
const LOOK_MS = 30_000;
/**
 * The number of checks of the live servers after which traces are looked for even if no server is missing: a
 * server may have started and ended between two checks.
 */
const LOOKS_AT_SERVERS = 9;

/**
 * Ends the traces of ended runs whose server stopped before it had sent the ends of their spans. One server
 * does this for all.
 */
export class TeamAbandonedTraces implements AbandonedTraceEnder {
  readonly #options: AbandonedTracesOptions;
  readonly #duty: string;
  /** The servers at the last check, and for how many checks all of them have been there. */
  #known: { readonly servers: ReadonlySet<string>; readonly looks: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: AbandonedTracesOptions) {
    this.#options = options;
    this.#duty = `traces:${options.deploymentId}`;
  }

  /** Checks periodically until closed. */
  start(): void {
    this.#looking = this.look()
      .catch((err: unknown) => {
        // The database is about to be closed.
        if (this.#isClosed) return;
        this.#options.logger.warn({ err }, 'could not look for traces that servers have left');
      })
      .then(() => {
        if (!this.#isClosed) this.#timer = setTimeout(() => this.start(), LOOK_MS).unref();
      });
  }

  /** Leaves the duty to another server, without waiting for a database that may be unreachable. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // Waits for a pending check, which may be about to take the duty. If releasing it fails, others notice when the
    // whole server has ended.
    this.#looking?.then(() => this.#options.db.duties.release(this.#duty)).catch(() => {});
  }

  /** Ends spans left by servers that have ended since the last check. */
  async look(): Promise<void> {
    const { db, traces, deploymentId } = this.#options;
    if (!(await db.duties.take(this.#duty))) {
      this.#known = undefined;
      return;
    }
    const servers = await db.listServers();
    const { servers: known, looks } = this.#known ?? { servers, looks: LOOKS_AT_SERVERS };
    if (looks < LOOKS_AT_SERVERS && [...known].every((server) => servers.has(server))) {
      this.#known = { servers, looks: looks + 1 };
      return;
    }
    const ended = await listEndedRuns(db, deploymentId, await traces.listOpenRuns({ atStart: false }));
    // The servers are read last: if one that ended one of these runs is missing now, it has really stopped.
    const alive = await db.listServers();
    for (const { run_id, lease_owner } of ended) {
      if (lease_owner !== null && !alive.has(lease_owner)) await traces.endTrace(run_id);
    }
    this.#known = { servers, looks: 0 };
  }
}
