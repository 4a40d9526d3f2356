import type { StateDatabase } from '../../storage/state-database.ts';
import type { RunOutcome } from '../runs/live-run.ts';
import type { LiveRuns } from '../runs/live-runs.ts';

export interface MetricsOptions {
  readonly db: StateDatabase;
  readonly deploymentId: string;
  readonly live: LiveRuns;
  readonly concurrency: number;
}

/** The numbers of a deployment, on this server. */
export interface Numbers {
  readonly workers: { readonly max: number; readonly active: number };
  /** Ages in seconds of the runs that wait. */
  readonly queue: { readonly pending: number; readonly running: number; readonly ages: readonly number[] };
  /** Number of ended runs since the server started, by status. */
  readonly ended: Readonly<Record<string, number>>;
  readonly webhooksWaiting: number;
}

/** The numbers of the process, whatever it serves. */
export interface ProcessNumbers {
  readonly memory: { readonly rss: number; readonly heapUsed: number };
  readonly uptimeSeconds: number;
}

export function readProcess(): ProcessNumbers {
  const { rss, heapUsed } = process.memoryUsage();
  return { memory: { rss, heapUsed }, uptimeSeconds: process.uptime() };
}

/** Metrics of an agent server. */
export class Metrics {
  readonly #options: MetricsOptions;
  readonly #ended: Record<string, number> = { success: 0, error: 0, timeout: 0, interrupted: 0 };

  constructor(options: MetricsOptions) {
    this.#options = options;
  }

  countEnd({ status }: RunOutcome): void {
    this.#ended[status] = (this.#ended[status] ?? 0) + 1;
  }

  async read(): Promise<Numbers> {
    const { db, deploymentId, live, concurrency } = this.#options;
    const runs = live.all();
    const running = runs.filter((run) => run.state === 'running').length;
    const waiting = runs.filter((run) => run.state === 'pending');
    const webhooks = await db
      .selectFrom('webhooks')
      .select((expression) => expression.fn.countAll<number>().as('count'))
      .where('deployment_id', '=', deploymentId)
      .executeTakeFirst();
    const now = Date.now();
    return {
      workers: { max: concurrency, active: running },
      queue: {
        pending: waiting.length,
        running,
        ages: waiting.map((run) => (now - Date.parse(run.acceptedAt)) / 1000).toSorted((a, b) => a - b),
      },
      ended: { ...this.#ended },
      webhooksWaiting: webhooks?.count ?? 0,
    };
  }
}
