/**
 * `node bench/team/compare.ts <dist>`: compares the cost of runs on PostgreSQL with another build and with the embedded
 * server.
 */
import { Command } from 'commander';
import { openDurablePostgres } from '../../test/support/postgres.ts';
import { makeTeam } from '../../test/support/team.ts';
import { Children } from '../harness/children.ts';
import { graphProject } from '../harness/graph-project.ts';
import { oneNode, tenNodes } from '../harness/graphs.ts';
import { HttpClient } from '../harness/http-client.ts';
import { freePort } from '../harness/server.ts';
import { ours } from '../subjects/ours.ts';
import { median, OPEN, processorMs, runMany } from './measure.ts';

const command = new Command('node bench/team/compare.ts')
  .description(
    'Measures processor time of runs on PostgreSQL in turns with another build, and with one folder.',
  )
  .argument('<dist>', 'the folder of the other build')
  .option('--rounds <n>', 'turns of each', Number, 7)
  .option('--runs <n>', 'runs in a turn', Number, 100)
  .option('--warm-up <n>', 'runs of each before', Number, 200)
  .option('--graph <name>', 'one of the graphs')
  .parse();
const {
  rounds,
  runs,
  warmUp,
  graph: only,
} = command.opts<{
  rounds: number;
  runs: number;
  warmUp: number;
  graph?: string;
}>();

await using cleanup = new AsyncDisposableStack();
const postgres = cleanup.use(await openDurablePostgres());
const folder = await graphProject();
const children = new Children({ graceMs: 5_000, report: console.error });
cleanup.defer(() => children.stopAll());

interface Subject {
  readonly name: string;
  readonly client: HttpClient;
  pids(): Promise<readonly number[]>;
}

async function teamOf(name: string, dist?: string): Promise<Subject> {
  const project = { folder, graphs: {}, [Symbol.asyncDispose]: async () => {} };
  const team = cleanup.use(await makeTeam(await postgres.createDatabase(), project));
  const { url, pid } = await team.start(OPEN, dist);
  return { name, client: new HttpClient(url), pids: async () => [pid] };
}

const embedded = await ours.start(folder, { port: await freePort(), children });
const subjects: Subject[] = [
  { name: 'embedded', client: new HttpClient(embedded.url), pids: () => embedded.pids() },
  await teamOf('before', command.args[0]),
  await teamOf('now'),
];

for (const graph of [oneNode, tenNodes].filter(({ id }) => only === undefined || id === only)) {
  const costs = subjects.map(() => ({ server: [] as number[], postgres: [] as number[] }));
  for (const { client } of subjects) await runMany([client], graph, warmUp);
  for (let round = 0; round < rounds; round++) {
    for (const [at, { client, pids }] of subjects.entries()) {
      // A server that has rested is slower at first.
      await runMany([client], graph, Math.ceil(runs / 5));
      const before = [await processorMs(await pids()), await processorMs([postgres.pid])];
      await runMany([client], graph, runs);
      const after = [await processorMs(await pids()), await processorMs([postgres.pid])];
      costs[at]?.server.push(((after[0] ?? 0) - (before[0] ?? 0)) / runs);
      costs[at]?.postgres.push(((after[1] ?? 0) - (before[1] ?? 0)) / runs);
    }
  }
  const own = median(costs[0]?.server ?? []);
  console.log(`${graph.id}: ${rounds} rounds of ${runs} runs in turns; medians of processor time per run`);
  for (const [at, { name }] of subjects.entries()) {
    const server = median(costs[at]?.server ?? []);
    const store = at === 0 ? 0 : median(costs[at]?.postgres ?? []);
    console.log(
      `  ${name}: ${server.toFixed(2)} ms + PostgreSQL ${store.toFixed(2)} ms, ${((server + store) / own).toFixed(2)} times embedded`,
    );
  }
}
for (const { client } of subjects) await client.close();
