import { Counter } from './counter.ts';
import { Histogram, LONG_WORK_BOUNDS } from './histogram.ts';
import { gauge, type Metric } from './metric-text.ts';

/** The meters of runs that servers hand over to each other. */
export type HandoverMeters = Pick<Meters, 'handovers'>;
/** The meters of queries of PostgreSQL. */
export type QueryMeters = Pick<Meters, 'reads' | 'connections'>;

/** The metrics of the server's own work. No label names a workspace or a deployment. */
export class Meters {
  readonly requests = new Histogram<{ at: 'platform' | 'agent'; status: string }>(
    'harbor_request_duration_seconds',
    'Time to answer a request; streams and requests that wait for a run are not counted.',
  );
  readonly writes = new Histogram(
    'harbor_database_write_duration_seconds',
    'Time to store a unit of writes, including waits.',
  );
  readonly reads = new Histogram('harbor_database_read_duration_seconds', 'Time of a query of PostgreSQL.');
  readonly connections = new Histogram(
    'harbor_database_connection_wait_seconds',
    'Time that a query waits for a connection to PostgreSQL.',
  );
  readonly objects = new Histogram<{ operation: string; outcome: 'done' | 'failed' }>(
    'harbor_object_store_duration_seconds',
    'Time of an operation of the object store.',
  );
  readonly ingestion = new Histogram<{ outcome: 'stored' | 'refused' | 'failed' }>(
    'harbor_ingestion_duration_seconds',
    'Time to store the traces of a request.',
  );
  readonly traceReads = new Histogram(
    'harbor_trace_read_duration_seconds',
    'Time to answer a query of traces, including waits.',
  );
  readonly builds = new Histogram(
    'harbor_build_duration_seconds',
    'Time to build a revision.',
    LONG_WORK_BOUNDS,
  );
  readonly revisions = new Counter(
    'harbor_revisions_ended_total',
    'Number of finished deployments, by outcome.',
    {
      label: 'status',
      values: ['DEPLOYED', 'BUILD_FAILED', 'DEPLOY_FAILED'],
    },
  );
  readonly handovers = new Counter(
    'harbor_runs_handed_over_total',
    'Number of runs that this server has handed over or taken over.',
    { label: 'direction', values: ['given', 'taken'] },
  );

  /** The number of unfinished runs on revisions that are draining. */
  drainingRuns = 0;

  read(): Metric[] {
    const { requests, writes, reads, connections, objects, ingestion, traceReads, builds } = this;
    const histograms = [requests, writes, reads, connections, objects, ingestion, traceReads, builds];
    return [
      ...histograms.map((histogram) => histogram.read()),
      this.revisions.read(),
      gauge(
        'harbor_draining_runs',
        'Number of unfinished runs of all servers on earlier revisions that drain.',
        this.drainingRuns,
      ),
      this.handovers.read(),
    ];
  }
}
