import { CONNECTIONS_PER_SERVER } from '../../../src/server/team/postgres/connection-room.ts';

/** The costs of a run, in milliseconds of processor time unless a name says otherwise. */
export interface RunCosts {
  /** The time on the main thread of the server that has the run, and on the other threads of that server. */
  readonly main: number;
  readonly threads: number;
  /** The time in the process of the graph. */
  readonly graph: number;
  readonly postgres: number;
  /** The time on the main thread of each server that is only notified of the run. */
  readonly heard: number;
  /** Consecutive units of writes, and how long the disk takes for one. */
  readonly units: number;
  readonly commitMs: number;
  readonly walKb: number;
  readonly tableKb: number;
}

/** The costs of a traced run's spans, which servers store in turns. */
export interface TraceCosts {
  readonly spans: number;
  readonly writer: number;
  readonly postgres: number;
}

/** The cost of a server that does nothing, in milliseconds per second. */
export interface IdleCosts {
  readonly main: number;
  readonly postgres: number;
}

export interface Costs {
  readonly run: RunCosts;
  readonly trace: TraceCosts | undefined;
  readonly idle: IdleCosts;
}

/** The servers of one database. */
export interface Cluster {
  readonly servers: number;
  /** The processors of each server, without those of PostgreSQL below. */
  readonly serverCores: number;
  readonly postgresCores: number;
  readonly maxConnections: number;
  /** The speed of the disk with PostgreSQL's log. */
  readonly walMbPerSecond: number;
}

/** Connections per server that store units (src/server/team/postgres/postgres-state.ts). */
export const LANES = 6;

/** A part of a cluster, and the number of runs per second that saturates it. */
export interface Part {
  readonly name: PartName;
  readonly limit: number;
}
export type PartName =
  | 'main threads of servers'
  | 'processes of graphs'
  | 'processors of servers'
  | 'lanes to PostgreSQL'
  | 'processors of PostgreSQL'
  | 'log of PostgreSQL'
  | 'writer of traces';

/** The parts of a cluster, sorted by when they are saturated. A graph has a process on each server. */
export function partsOf({ run, trace, idle }: Costs, cluster: Cluster): Part[] {
  const { servers, serverCores, postgresCores, walMbPerSecond } = cluster;
  const hearing = (servers - 1) * run.heard;
  const ofTrace = trace === undefined ? 0 : trace.spans * trace.postgres;
  const writing = trace === undefined ? 0 : trace.spans * (trace.writer + trace.postgres);
  const onServer = run.main + run.threads + run.graph + hearing + (trace?.spans ?? 0) * (trace?.writer ?? 0);
  const limits: Readonly<Record<PartName, number>> = {
    'main threads of servers': (servers * (1000 - idle.main)) / (run.main + hearing),
    'processes of graphs': (servers * 1000) / run.graph,
    'processors of servers': (servers * (1000 * serverCores - idle.main)) / onServer,
    'lanes to PostgreSQL': (servers * LANES * 1000) / (run.postgres + run.units * run.commitMs),
    'processors of PostgreSQL':
      Math.max(0, 1000 * postgresCores - idle.postgres * servers) / (run.postgres + ofTrace),
    'log of PostgreSQL': (1024 * walMbPerSecond) / run.walKb,
    'writer of traces': writing === 0 ? Number.POSITIVE_INFINITY : 1000 / writing,
  };
  return (Object.entries(limits) as [PartName, number][])
    .map(([name, limit]) => ({ name, limit }))
    .toSorted((one, other) => one.limit - other.limit);
}

/** Whether PostgreSQL allows enough connections for all servers. */
export function hasConnections({ servers, maxConnections }: Cluster): boolean {
  return servers * CONNECTIONS_PER_SERVER <= maxConnections;
}
