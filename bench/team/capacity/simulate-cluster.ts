import { type Cluster, type Costs, LANES, type PartName } from './cluster.ts';
import { type Job, Simulation, Station } from './simulation.ts';

export interface Simulated {
  /** Runs that ended, per second. */
  readonly rate: number;
  /** Milliseconds from acceptance to end, in ascending order. */
  readonly tookMs: readonly number[];
  readonly use: readonly { readonly name: PartName; readonly share: number }[];
}

/**
 * The source of runs: a fixed number per second, whatever happens, or a fixed number of clients with one run at a time.
 */
export type Load = { readonly perSecond: number } | { readonly clients: number; readonly clientMs: number };

export interface SimulationOptions {
  readonly seconds: number;
  /** The processors that all processes share, if they are on one machine. */
  readonly machineCores?: number;
}

/** Simulates the runs of a cluster for some seconds; the first fifth does not count. */
export function simulateCluster(
  { run, trace, idle }: Costs,
  cluster: Cluster,
  load: Load,
  { seconds, machineCores }: SimulationOptions,
): Simulated {
  const simulation = new Simulation();
  const endMs = 1000 * seconds;
  const each = (places: number) => Array.from({ length: cluster.servers }, () => new Station(places));
  const mains = each(1);
  const graphs = each(1);
  const lanes = each(LANES);
  const servers = each(cluster.serverCores);
  const postgres = new Station(cluster.postgresCores);
  const writer = new Station(1);
  const whole = machineCores === undefined ? undefined : Math.max(1, Math.round(machineCores));
  const machine = whole === undefined ? undefined : new Station(whole);
  /** The number of places is whole; for a fraction of a processor, everything takes longer instead. */
  const slowed = whole === undefined || machineCores === undefined ? 1 : whole / machineCores;
  const perSecond = 'perSecond' in load ? load.perSecond : 0;
  // A main thread that is notified of others' runs has less time for its own.
  const other = idle.main + ((perSecond * (cluster.servers - 1)) / cluster.servers) * run.heard;
  const slower = 1 / Math.max(0.01, 1 - other / 1000);
  const rounds = Math.max(1, Math.round(run.units));
  const tookMs: number[] = [];

  /** Processor time while holding a place in each of the stations; the scarcest are taken last. */
  function* work(ms: number, ...places: readonly Station[]): Job {
    const taken =
      machine === undefined ? places : [...places.filter((one) => !servers.includes(one)), machine];
    for (const station of taken) yield { take: station };
    yield { passMs: simulation.exponential(ms * slowed) };
    for (const station of taken.toReversed()) yield { give: station };
  }
  function* store(spans: number, own: Station, costs: NonNullable<typeof trace>): Job {
    yield { take: writer };
    yield* work(spans * costs.writer, own);
    yield* work(spans * costs.postgres, postgres);
    yield { give: writer };
  }
  function* oneRun(at: number): Job {
    const [main, graph, lane, own] = [mains[at], graphs[at], lanes[at], servers[at]];
    if (main === undefined || graph === undefined || lane === undefined || own === undefined) return;
    const beganMs = simulation.nowMs;
    for (let round = 0; round < rounds; round++) {
      yield* work((run.main * slower) / rounds, main, own);
      yield* work(run.graph / rounds, graph, own);
      yield* work(run.threads / rounds, own);
      yield { take: lane };
      yield* work(run.postgres / rounds, postgres);
      yield { passMs: run.commitMs };
      yield { give: lane };
    }
    if (beganMs >= endMs / 5 && simulation.nowMs <= endMs) tookMs.push(simulation.nowMs - beganMs);
    if (trace !== undefined) simulation.begin(store(trace.spans, own, trace));
  }
  function* arrivals(): Job {
    for (let at = 0; ; at = (at + 1) % cluster.servers) {
      yield { passMs: simulation.exponential(1000 / perSecond) };
      simulation.begin(oneRun(at));
    }
  }
  function* client(at: number, clientMs: number): Job {
    for (;;) {
      if (machine !== undefined) yield* work(clientMs);
      yield* oneRun(at % cluster.servers);
    }
  }
  if ('perSecond' in load) simulation.begin(arrivals());
  else for (let at = 0; at < load.clients; at++) simulation.begin(client(at, load.clientMs));
  simulation.runUntil(endMs);

  const mean = (stations: readonly Station[]) =>
    stations.reduce((sum, station) => sum + simulation.useOf(station), 0) / stations.length;
  const all: readonly (readonly [PartName, readonly Station[]])[] = [
    ['main threads of servers', mains],
    ['processes of graphs', graphs],
    ['lanes to PostgreSQL', lanes],
    ['processors of servers', machine === undefined ? servers : [machine]],
    ['processors of PostgreSQL', [postgres]],
    ['writer of traces', [writer]],
  ];
  return {
    rate: tookMs.length / (seconds * 0.8),
    tookMs: tookMs.toSorted((a, b) => a - b),
    use: all
      .map(([name, stations]) => ({ name, share: mean(stations) }))
      .toSorted((one, another) => another.share - one.share),
  };
}
