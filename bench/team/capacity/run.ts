/**
 * `node bench/team/capacity/run.ts`: computes which part of a team is saturated first, and at how many runs
 * per second; see bench/README.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { markdownTable } from 'markdown-table';
import { z } from 'zod';
import { oneNode, tenNodes } from '../../harness/graphs.ts';
import { percentile } from '../measure.ts';
import { type Cluster, type Costs, hasConnections, partsOf } from './cluster.ts';
import { measure } from './measure.ts';
import { simulateCluster } from './simulate-cluster.ts';

const RECORDED = path.join(import.meta.dirname, 'costs.json');
const GRAPHS = { one_node: oneNode, ten_nodes: tenNodes };
const Number_ = z.number().nonnegative();
const Graphs = z.record(
  z.string(),
  z.object({
    run: z.object({
      main: Number_,
      threads: Number_,
      graph: Number_,
      postgres: Number_,
      heard: Number_,
      units: Number_,
      commitMs: Number_,
      walKb: Number_,
      tableKb: Number_,
    }),
    idle: z.object({ main: Number_, postgres: Number_ }),
    clientMs: Number_,
  }),
);
/** `span` has the costs of one span of a traced run, as `node bench/team/traces.ts` measures them. */
const Recorded = z.object({ span: z.object({ writer: Number_, postgres: Number_ }), graphs: Graphs });
const SPANS: Readonly<Record<string, number>> = { one_node: 2, ten_nodes: 11 };
/** The latency of a cloud disk; the disk here is shared with others. */
const COMMIT_MS = 2;
/** A run is late if it takes this many times as long as it does alone. */
const LATE = 5;

const command = new Command('node bench/team/capacity/run.ts')
  .description('Says which part of a team breaks first, by a simulation of what its runs cost.')
  .option('--measure', 'measure what runs cost on this machine, and keep it in costs.json')
  .option('--check', 'measure it, and compare rates of this machine with those of the simulation')
  .option('--runs <n>', 'runs of a measurement', Number, 300)
  .parse();
const given = command.opts<{ measure?: true; check?: true; runs: number }>();

if (given.measure || given.check) await measureHere();
else plan();

async function measureHere(): Promise<void> {
  const graphs: z.infer<typeof Graphs> = {};
  for (const [name, graph] of Object.entries(GRAPHS)) {
    const clients = given.check ? [1, 4, 16] : [];
    const { costs, clientMs, rates } = await measure(graph, { runs: given.runs, clients });
    console.log(name, JSON.stringify({ ...costs.run, clientMs, idle: costs.idle }));
    graphs[name] = { run: costs.run, idle: costs.idle, clientMs };
    const rows = rates.map(({ clients: count, rate, cores }) => {
      const cluster = {
        servers: 1,
        serverCores: 1,
        postgresCores: 64,
        maxConnections: 100,
        walMbPerSecond: 500,
      };
      const load = { clients: count, clientMs };
      const { rate: told } = simulateCluster(costs, cluster, load, { seconds: 120, machineCores: cores });
      return [count, rate.toFixed(0), cores.toFixed(2), told.toFixed(0), (told / rate).toFixed(2)].map(
        String,
      );
    });
    if (rows.length > 0)
      console.log(markdownTable([['clients', 'runs/s here', 'processors', 'simulated', 'ratio'], ...rows]));
  }
  if (given.measure) writeFileSync(RECORDED, `${JSON.stringify({ ...readRecorded(), graphs }, null, 2)}\n`);
}

function readRecorded() {
  return Recorded.parse(JSON.parse(readFileSync(RECORDED, 'utf8')));
}

function plan(): void {
  const { span, graphs } = readRecorded();
  const sized = (servers: number, postgresCores: number): Cluster => ({
    servers,
    serverCores: 2,
    postgresCores,
    maxConnections: 20 * servers + 3,
    walMbPerSecond: 300,
  });
  const clusters: readonly [string, Cluster][] = [
    ['small', sized(2, 2)],
    ['company', sized(8, 8)],
    ['a cell', sized(32, 16)],
    ['a large cell', sized(64, 32)],
  ];
  for (const [name, { run, idle }] of Object.entries(graphs)) {
    const rows = clusters.flatMap(([size, cluster]) =>
      [false, true].map((isTraced) => {
        const trace = isTraced ? { spans: SPANS[name] ?? 0, ...span } : undefined;
        return rowOf(
          `${size}: ${cluster.servers} servers, PostgreSQL of ${cluster.postgresCores}`,
          { run: { ...run, commitMs: COMMIT_MS }, idle, trace },
          cluster,
        );
      }),
    );
    console.log(`\n${name}`);
    console.log(
      markdownTable([
        [
          'cluster',
          'traced',
          'breaks first',
          'at',
          'then',
          'at',
          'runs late from',
          'log then',
          'growth a day',
        ],
        ...rows,
      ]),
    );
  }
}

function rowOf(title: string, costs: Costs, cluster: Cluster): string[] {
  const parts = partsOf(costs, cluster);
  const [first, then] = parts;
  // Runs do not wait for their traces.
  const ofRuns = parts.find(({ name }) => name !== 'writer of traces');
  if (first === undefined || then === undefined || ofRuns === undefined)
    throw new Error('A cluster has several parts.');
  const late = lateFrom(costs, cluster, ofRuns.limit);
  const { walKb, tableKb } = costs.run;
  return [
    hasConnections(cluster) ? title : `${title} (too few connections)`,
    costs.trace === undefined ? 'no' : `${costs.trace.spans} spans`,
    first.name,
    `${first.limit.toFixed(0)}/s`,
    then.name,
    `${then.limit.toFixed(0)}/s`,
    `${late.toFixed(0)}/s`,
    `${((late * walKb) / 1024).toFixed(1)} MB/s`,
    `${((late * tableKb * 86_400) / 1024 ** 3).toFixed(2)} TB`,
  ];
}

/** The rate at which the 99th percentile of runs begins to take several times as long as with hardly any load. */
function lateFrom(costs: Costs, cluster: Cluster, limit: number): number {
  const seconds = Math.max(2, Math.min(20, 6_000 / limit));
  const p99 = (perSecond: number) =>
    percentile(simulateCluster(costs, cluster, { perSecond }, { seconds }).tookMs, 0.99);
  const alone = p99(limit / 20);
  let [low, high] = [limit / 20, limit];
  for (let step = 0; step < 6; step++) {
    const middle = (low + high) / 2;
    if (p99(middle) > LATE * alone) high = middle;
    else low = middle;
  }
  return low;
}
