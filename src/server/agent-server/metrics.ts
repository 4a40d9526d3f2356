import type { StateDatabase } from '../storage/state-database.ts';
import type { RunOutcome } from './runs/live-run.ts';
import type { LiveRuns } from './runs/live-runs.ts';

export interface MetricsOptions {
  readonly db: StateDatabase;
  readonly deploymentId: string;
  readonly live: LiveRuns;
  readonly concurrency: number;
}

export interface Numbers {
  readonly workers: { readonly max: number; readonly active: number };
  /** Ages in seconds of the runs that wait. */
  readonly queue: { readonly pending: number; readonly running: number; readonly ages: readonly number[] };
  /** Number of ended runs since the server started, by status. */
  readonly ended: Readonly<Record<string, number>>;
  readonly webhooksWaiting: number;
  readonly memory: { readonly rss: number; readonly heapUsed: number };
  readonly uptimeSeconds: number;
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
    const { rss, heapUsed } = process.memoryUsage();
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
      memory: { rss, heapUsed },
      uptimeSeconds: process.uptime(),
    };
  }
}

/** With the names of the public agent server. */
export function toMetricsJson(numbers: Numbers): object {
  const { workers, queue } = numbers;
  return {
    workers: { max: workers.max, active: workers.active, available: workers.max - workers.active },
    queue: {
      num_pending: queue.pending,
      num_running: queue.running,
      max_age_secs: queue.ages.at(-1) ?? null,
      med_age_secs: queue.ages[Math.floor(queue.ages.length / 2)] ?? null,
    },
    runs: { ended: numbers.ended },
    webhooks: { waiting: numbers.webhooksWaiting },
    process: {
      resident_memory_bytes: numbers.memory.rss,
      heap_used_bytes: numbers.memory.heapUsed,
      uptime_seconds: numbers.uptimeSeconds,
    },
  };
}

/** The exposition format of Prometheus, version 0.0.4; the names are those of the public servers. */
export function toPrometheus(numbers: Numbers): string {
  const { workers, queue } = numbers;
  const ended = Object.entries(numbers.ended).map(
    ([status, count]) => [`{status="${status}"}`, count] as const,
  );
  return [
    metric('lg_api_workers_max', 'gauge', 'Maximum number of concurrent runs.', [['', workers.max]]),
    metric('lg_api_workers_active', 'gauge', 'Number of runs being executed.', [['', workers.active]]),
    metric('lg_api_workers_available', 'gauge', 'Number of runs that could start immediately.', [
      ['', workers.max - workers.active],
    ]),
    metric('lg_api_num_pending_runs', 'gauge', 'Number of pending runs.', [['', queue.pending]]),
    metric('lg_api_num_running_runs', 'gauge', 'Number of running runs.', [['', queue.running]]),
    metric('lg_api_pending_runs_wait_time_max', 'gauge', 'Longest wait of a pending run, in seconds.', [
      ['', queue.ages.at(-1) ?? 0],
    ]),
    metric(
      'harbor_runs_ended_total',
      'counter',
      'Number of runs that have ended since the server started.',
      ended,
    ),
    metric('harbor_webhooks_waiting', 'gauge', 'Number of undelivered webhooks.', [
      ['', numbers.webhooksWaiting],
    ]),
    metric('process_resident_memory_bytes', 'gauge', 'Resident memory of the server, in bytes.', [
      ['', numbers.memory.rss],
    ]),
    metric('process_uptime_seconds', 'gauge', 'Uptime of the server.', [['', numbers.uptimeSeconds]]),
  ].join('');
}

function metric(
  name: string,
  type: 'gauge' | 'counter',
  help: string,
  samples: readonly (readonly [labels: string, value: number])[],
): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`).join('');
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines}`;
}
