import { Histogram, LONG_WORK_BOUNDS } from '../../histogram.ts';
import type { Labels, Metric } from '../../metric-text.ts';

/** Measures how long the runs of a deployment wait and take, on this server. */
export class RunTimes {
  readonly waits = new Histogram(
    'harbor_run_wait_seconds',
    'Time from the acceptance of a run, or from its scheduled start, until its first start.',
    LONG_WORK_BOUNDS,
  );
  readonly durations = new Histogram<{ status: string }>(
    'harbor_run_duration_seconds',
    'Time from the first start of a run until its end is stored.',
    LONG_WORK_BOUNDS,
  );
}

/** The times of several deployments, as metrics. */
export function readRunTimes(
  all: readonly { readonly labels?: Labels | undefined; readonly times: RunTimes }[],
): Metric[] {
  const { waits, durations } = new RunTimes();
  return [
    waits.read(all.flatMap(({ labels, times }) => times.waits.samples(labels))),
    durations.read(all.flatMap(({ labels, times }) => times.durations.samples(labels))),
  ];
}
