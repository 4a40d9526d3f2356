import { gauge, type Labels, type Metric, metricsText, type Sample } from '../../metric-text.ts';
import type { DeploymentMetrics, ProcessMetrics } from './metrics.ts';
import { readRunTimes } from './run-times.ts';

/** The metrics in JSON, with the names of the public agent server. */
export function toMetricsJson(numbers: DeploymentMetrics, { memory, uptimeSeconds }: ProcessMetrics): object {
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
    webhooks: { waiting: numbers.webhooksWaiting ?? null },
    process: {
      resident_memory_bytes: memory.rss,
      heap_used_bytes: memory.heapUsed,
      uptime_seconds: uptimeSeconds,
    },
  };
}

/** The metrics of a deployment, with the labels that distinguish it from others, if there are any. */
export interface Measured {
  readonly labels?: Labels | undefined;
  readonly numbers: DeploymentMetrics;
}

/**
 * Metrics in the format of Prometheus, with the names of the public agent server where it has them.
 * @param server the metrics of the whole server.
 */
export function toPrometheus(measured: readonly Measured[], server: readonly Metric[]): string {
  const each = (name: string, help: string, pick: (numbers: DeploymentMetrics) => number | undefined) =>
    gauge(
      name,
      help,
      measured.flatMap(({ labels, numbers }): Sample[] => {
        const value = pick(numbers);
        return value === undefined ? [] : [{ labels, value }];
      }),
    );
  return metricsText([
    each('lg_api_workers_max', 'Maximum number of concurrent runs.', ({ workers }) => workers.max),
    each('lg_api_workers_active', 'Number of runs being executed.', ({ workers }) => workers.active),
    each(
      'lg_api_workers_available',
      'Number of runs that could start immediately.',
      ({ workers }) => workers.max - workers.active,
    ),
    each('lg_api_num_pending_runs', 'Number of pending runs.', ({ queue }) => queue.pending),
    each('lg_api_num_running_runs', 'Number of running runs.', ({ queue }) => queue.running),
    each(
      'lg_api_pending_runs_wait_time_max',
      'Longest wait of a pending run, in seconds.',
      ({ queue }) => queue.ages.at(-1) ?? 0,
    ),
    each('harbor_deployment_paused', 'Whether runs wait until the deployment is resumed.', ({ isPaused }) =>
      isPaused ? 1 : 0,
    ),
    {
      name: 'harbor_runs_ended_total',
      type: 'counter',
      help: 'Number of runs that have ended since the server started.',
      samples: measured.flatMap(({ labels, numbers }) =>
        Object.entries(numbers.ended).map(([status, value]) => ({ labels: { ...labels, status }, value })),
      ),
    },
    ...readRunTimes(measured.map(({ labels, numbers: { times } }) => ({ labels, times }))),
    each('harbor_webhooks_waiting', 'Number of undelivered webhooks.', (numbers) => numbers.webhooksWaiting),
    ...server,
  ]);
}

/** The metrics of the process, for Prometheus. */
export function processMetrics({ memory, uptimeSeconds }: ProcessMetrics): Metric[] {
  return [
    gauge('process_resident_memory_bytes', 'Resident memory of the server, in bytes.', memory.rss),
    gauge('process_uptime_seconds', 'Uptime of the server.', uptimeSeconds),
  ];
}
