import { ifReachable } from '../../storage/if-reachable.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { LiveRun, RunOutcome } from '../runs/live-run.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import { RunTimes } from './run-times.ts';

export interface MetricsOptions {
  readonly db: StateDatabase;
  readonly deploymentId: string;
  readonly live: LiveRuns;
  readonly concurrency: number;
  isPaused(): boolean;
}

/** The metrics of a deployment on this server. */
export interface DeploymentMetrics {
  readonly workers: { readonly max: number; readonly active: number };
  /** `ages` are the seconds for which pending runs have been due, in ascending order. */
  readonly queue: { readonly pending: number; readonly running: number; readonly ages: readonly number[] };
  /** Number of ended runs since the server started, by status. */
  readonly ended: Readonly<Record<string, number>>;
  readonly isPaused: boolean;
  readonly times: RunTimes;
  /** Undefined while the database cannot be reached. */
  readonly webhooksWaiting: number | undefined;
}

/** The metrics of the whole process. */
export interface ProcessMetrics {
  readonly memory: { readonly rss: number; readonly heapUsed: number };
  readonly uptimeSeconds: number;
}

export function readProcessMetrics(): ProcessMetrics {
  const { rss, heapUsed } = process.memoryUsage();
  return { memory: { rss, heapUsed }, uptimeSeconds: process.uptime() };
}

/** Collects the metrics of an agent server. */
export class Metrics {
  readonly #options: MetricsOptions;
  readonly #ended: Record<string, number> = { success: 0, error: 0, timeout: 0, interrupted: 0 };
  readonly #times = new RunTimes();

  constructor(options: MetricsOptions) {
    this.#options = options;
  }

  /** Measures how long a run has waited for its first start. Called at each start. */
  noteStart(run: LiveRun): void {
    if (run.attempt > 1) return;
    this.#times.waits.observe((Date.now() - dueAt(run)) / 1_000, {});
  }

  /** Counts a run whose end is stored, and measures how long it took. */
  noteEnd({ startedAt }: LiveRun, { status }: RunOutcome): void {
    this.#ended[status] = (this.#ended[status] ?? 0) + 1;
    if (startedAt === undefined) return;
    this.#times.durations.observe((Date.now() - Date.parse(startedAt)) / 1_000, { status });
  }

  async read(): Promise<DeploymentMetrics> {
    const { db, deploymentId, live, concurrency } = this.#options;
    const runs = live.all();
    const running = runs.filter((run) => run.state === 'running').length;
    const waiting = runs.filter((run) => run.state === 'pending');
    const webhooks = await ifReachable(db, () =>
      db
        .selectFrom('webhooks')
        .select((expression) => expression.fn.countAll<number>().as('count'))
        .where('deployment_id', '=', deploymentId)
        .executeTakeFirst(),
    );
    const now = Date.now();
    return {
      workers: { max: concurrency, active: running },
      queue: {
        pending: waiting.length,
        running,
        ages: waiting
          .map((run) => (now - dueAt(run)) / 1000)
          .filter((age) => age >= 0)
          .toSorted((a, b) => a - b),
      },
      ended: { ...this.#ended },
      isPaused: this.#options.isPaused(),
      times: this.#times,
      webhooksWaiting: webhooks?.count,
    };
  }
}

/** When a run may start, in ms since the epoch. */
function dueAt({ acceptedAt, identity }: LiveRun): number {
  return Math.max(Date.parse(acceptedAt), identity.startAfter);
}
