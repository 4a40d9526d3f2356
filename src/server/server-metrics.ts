import { readProcessMetrics } from './agent-server/monitoring/metrics.ts';
import { processMetrics } from './agent-server/monitoring/metrics-text.ts';
import type { Meters } from './meters.ts';
import type { Metric } from './metric-text.ts';
import { ifReachable } from './storage/if-reachable.ts';
import type { StateDatabase } from './storage/state-database.ts';

export interface ServerMetricsOptions {
  readonly meters: Meters;
  readonly db: StateDatabase;
  readonly tracing: { readGauges(): Metric[] };
}

/** Reads the metrics of the whole server. No label names a workspace or a deployment. */
export class ServerMetrics {
  readonly #options: ServerMetricsOptions;

  constructor(options: ServerMetricsOptions) {
    this.#options = options;
  }

  /** Reads all metrics; those of the database are left out while it cannot be reached. */
  async read(): Promise<Metric[]> {
    const { meters, db, tracing } = this.#options;
    const gauges = await ifReachable(db, () => db.readGauges());
    // The gauges are also undefined if their answer was late, so this is checked separately, without a query.
    const isReached = await ifReachable(db, () => Promise.resolve(true));
    return [
      ...meters.read(),
      ...tracing.readGauges(),
      ...(gauges ?? []),
      ...db.readConnections(isReached === true),
      ...processMetrics(readProcessMetrics()),
    ];
  }
}
