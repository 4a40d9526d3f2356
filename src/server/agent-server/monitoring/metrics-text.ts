import type { Numbers, ProcessNumbers } from './metrics.ts';

/** With the names of the public agent server. */
export function toMetricsJson(numbers: Numbers, { memory, uptimeSeconds }: ProcessNumbers): object {
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
      resident_memory_bytes: memory.rss,
      heap_used_bytes: memory.heapUsed,
      uptime_seconds: uptimeSeconds,
    },
  };
}

/** Labels that tell the samples of several deployments apart. */
type Labels = Readonly<Record<string, string>>;

/** The numbers of a deployment; without labels where they are those of the only one. */
export interface Measured {
  readonly labels?: Labels | undefined;
  readonly numbers: Numbers;
}

/** The exposition format of Prometheus, version 0.0.4; the names are those of the public servers. */
export function toPrometheus(
  measured: readonly Measured[],
  { memory, uptimeSeconds }: ProcessNumbers,
  snapshotAge: number | undefined,
): string {
  const gauge = (name: string, help: string, pick: (numbers: Numbers) => number) =>
    metric(
      name,
      'gauge',
      help,
      measured.map(({ labels, numbers }) => [labels, pick(numbers)]),
    );
  return [
    gauge('lg_api_workers_max', 'Maximum number of concurrent runs.', ({ workers }) => workers.max),
    gauge('lg_api_workers_active', 'Number of runs being executed.', ({ workers }) => workers.active),
    gauge(
      'lg_api_workers_available',
      'Number of runs that could start immediately.',
      ({ workers }) => workers.max - workers.active,
    ),
    gauge('lg_api_num_pending_runs', 'Number of pending runs.', ({ queue }) => queue.pending),
    gauge('lg_api_num_running_runs', 'Number of running runs.', ({ queue }) => queue.running),
    gauge(
      'lg_api_pending_runs_wait_time_max',
      'Longest wait of a pending run, in seconds.',
      ({ queue }) => queue.ages.at(-1) ?? 0,
    ),
    metric(
      'harbor_runs_ended_total',
      'counter',
      'Number of runs that have ended since the server started.',
      measured.flatMap(({ labels, numbers }) =>
        Object.entries(numbers.ended).map(([status, count]) => [{ ...labels, status }, count] as const),
      ),
    ),
    gauge('harbor_webhooks_waiting', 'Number of undelivered webhooks.', (numbers) => numbers.webhooksWaiting),
    ...(snapshotAge === undefined
      ? []
      : [
          metric(
            'harbor_database_oldest_snapshot_transactions',
            'gauge',
            'Number of transactions since the oldest snapshot that is open in the database.',
            [[undefined, snapshotAge]],
          ),
        ]),
    metric('process_resident_memory_bytes', 'gauge', 'Resident memory of the server, in bytes.', [
      [undefined, memory.rss],
    ]),
    metric('process_uptime_seconds', 'gauge', 'Uptime of the server.', [[undefined, uptimeSeconds]]),
  ].join('');
}

function metric(
  name: string,
  type: 'gauge' | 'counter',
  help: string,
  samples: readonly (readonly [labels: Labels | undefined, value: number])[],
): string {
  const lines = samples.map(([labels, value]) => `${name}${labelsText(labels)} ${value}\n`).join('');
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines}`;
}

function labelsText(labels: Labels | undefined): string {
  if (labels === undefined) return '';
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
