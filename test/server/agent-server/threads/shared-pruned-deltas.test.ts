import { DELTA_GRAPHS, DeltaThreads } from '../../../support/delta-threads.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';

const CONFIG = { graphs: { log: './graph.js:log', often: './graph.js:often', deep: './graph.js:deep' } };

describe('a thread in a database of a team whose state is rebuilt from its writes', function () {
  this.timeout(120_000);
  let postgres: Postgres;
  let served: ServedProject;
  let threads: DeltaThreads;
  before(async function () {
    postgres = await requirePostgres(this);
    served = await serveProject({
      empty: true,
      files: { 'graph.js': DELTA_GRAPHS, 'langgraph.json': JSON.stringify(CONFIG) },
      database: await postgres.createDatabase(),
    });
    threads = new DeltaThreads(served.url);
  });
  after(async () => {
    await served?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  it('keeps its newest state when it is pruned, and continues from it', async () => {
    const source = await threads.make('log');
    const { thread_id: copy } = await threads.client.threads.copy(source);
    await threads.pruneAndRun(copy, () => threads.prune(copy));
    await threads.pruneAndRun(source, () => threads.prune(source));
  });

  it('keeps no more of its history than the newest state needs', async () => {
    await threads.pruneToSnapshot(await threads.make('often'));
    await threads.pruneFork(await threads.make('log'));
  });

  it('keeps the state of subgraphs', async () => {
    await threads.pruneSubgraph(await threads.make('deep'));
  });
});
