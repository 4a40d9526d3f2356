import { DELTA_GRAPHS, DELTA_GRAPHS_PYTHON, DeltaThreads } from '../../../support/delta-threads.ts';
import type { GraphProject } from '../../../support/projects.ts';
import { requirePython, servablePythonProject } from '../../../support/python-projects.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';

const config = (file: string) => ({
  graphs: { log: `${file}:log`, often: `${file}:often`, deep: `${file}:deep` },
});

const LANGUAGES: Readonly<Record<string, (context: Mocha.Context) => Promise<ServedProject>>> = {
  JavaScript: () =>
    serveProject({
      empty: true,
      files: { 'graph.js': DELTA_GRAPHS, 'langgraph.json': JSON.stringify(config('./graph.js')) },
    }),
  Python: async (context) => {
    const python = await requirePython(context, 'langgraph-1.2');
    const given: GraphProject = await servablePythonProject(python, {
      empty: true,
      files: { 'graph.py': DELTA_GRAPHS_PYTHON, 'langgraph.json': JSON.stringify(config('./graph.py')) },
    });
    return serveProject({ given });
  },
};

for (const [language, serve] of Object.entries(LANGUAGES)) {
  describe(`a thread in ${language} whose state is rebuilt from its writes`, function () {
    this.timeout(120_000);
    let served: ServedProject;
    let threads: DeltaThreads;
    before(async function () {
      served = await serve(this);
      threads = new DeltaThreads(served.url);
    });
    after(() => served?.[Symbol.asyncDispose]());

    it('keeps its newest state when it is pruned, and continues from it', async () => {
      const threadId = await threads.make('log');
      await threads.pruneAndRun(threadId, () => threads.prune(threadId));
    });

    it('keeps it in a copy that is pruned, and in the source of one', async () => {
      const source = await threads.make('log');
      const { thread_id: copy } = await threads.client.threads.copy(source);
      await threads.pruneAndRun(copy, () => threads.prune(copy));
      await threads.pruneAndRun(source, () => threads.prune(source));
    });

    it('keeps it in a copy of a pruned thread', async () => {
      const source = await threads.make('log');
      await threads.prune(source);
      const { thread_id: copy } = await threads.client.threads.copy(source);
      await threads.client.threads.delete(source);
      await threads.pruneAndRun(copy, () => threads.prune(copy));
    });

    it('keeps no more of its history than the newest state needs', async () => {
      await threads.pruneToSnapshot(await threads.make('often'));
    });

    it('keeps the state of subgraphs', async () => {
      await threads.pruneSubgraph(await threads.make('deep'));
    });

    it('keeps its newest state when pruned, even if that state was forked from an earlier checkpoint', async () => {
      await threads.pruneFork(await threads.make('log'));
    });
  });
}
