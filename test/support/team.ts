import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { ServerFile } from '../../src/contract/server-file.ts';
import { type RunningCli, startCli } from './cli.ts';
import { type GraphProject, graphProject } from './projects.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { unusedPort } from './unused-port.ts';
import { eventually, FinalFailure } from './wait.ts';

export const TEAM_KEY = 'a-key-of-sixteen-and-more';

/** Records each step in a file, and waits in the second one until another file exists. */
const STEPS = `
import { appendFileSync, existsSync } from 'node:fs';
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ steps: Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
const step = (name) => {
  appendFileSync('steps.txt', name + ' ');
  return { steps: [name] };
};
export const graph = new StateGraph(State)
  .addNode('first', () => step('first'))
  .addNode('second', async () => {
    while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 20));
    return { steps: [process.env.AGENT_HARBOR_DATABASE ?? 'second'] };
  })
  .addEdge('__start__', 'first').addEdge('first', 'second').compile();
`;

/** One of several servers of a team. */
export interface TeamNode {
  readonly cli: RunningCli;
  /** The server's process. */
  readonly pid: number;
  readonly url: string;
  /** The address of the platform on its machine, and a key for it. */
  readonly platform: { readonly url: string; readonly key: string };
  readonly client: Client;
}

/** Servers that share a database and serve a graph of two steps. */
export interface Team extends AsyncDisposable {
  /**
   * @param dist the folder of another build.
   * @param args further arguments.
   */
  start(
    environment?: Readonly<Record<string, string>>,
    dist?: string,
    args?: readonly string[],
  ): Promise<TeamNode>;
  /** Starts a run, and waits until its first step is stored. */
  begin(node: TeamNode): Promise<{ threadId: string; runId: string }>;
  /** Releases the second steps. */
  letGo(): Promise<void>;
  /** How many first steps have been done. */
  firstSteps(): Promise<number>;
}

/** @param project another project instead, which is removed with the team. */
export async function makeTeam(database: string, project?: GraphProject): Promise<Team> {
  const cleanup = new AsyncDisposableStack();
  const { folder } = cleanup.use(project ?? (await projectOfSteps()));
  const start = async (
    environment: Readonly<Record<string, string>> = {},
    dist?: string,
    args: readonly string[] = [],
  ): Promise<TeamNode> => {
    const dataDir = cleanup.use(await temporaryFolder()).path;
    const port = await unusedPort();
    const cli = cleanup.use(
      startCli(['team', '--name', 'steps', '--port', String(port), '--data-dir', dataDir, ...args], {
        cwd: folder,
        dist,
        environment: { AGENT_HARBOR_API_KEY: TEAM_KEY, DATABASE_URL: database, ...environment },
      }),
    );
    const url = `http://127.0.0.1:${port}`;
    const mustLive = () => {
      if (cli.child.exitCode !== null) throw new FinalFailure(cli.stderr);
    };
    const isServed = async () => {
      mustLive();
      return (await fetch(`${url}/ok`)).ok;
    };
    await eventually('the agent is served', isServed, Boolean, 120_000);
    const announced = await eventually(
      'the server is announced',
      async () => {
        mustLive();
        return ServerFile.parse(JSON.parse(await readFile(path.join(dataDir, 'server.json'), 'utf8')));
      },
      Boolean,
      120_000,
    );
    const { pid } = announced;
    const platform = { url: announced.base_url, key: announced.api_key };
    cleanup.defer(() => end(pid));
    const client = new Client({ apiUrl: url, apiKey: TEAM_KEY, callerOptions: { maxRetries: 0 } });
    return { cli, pid, url, platform, client };
  };
  return {
    start,
    begin: async ({ client }) => {
      const { thread_id: threadId } = await client.threads.create();
      const { run_id: runId } = await client.runs.create(threadId, 'steps', { input: {} });
      await eventually('the first step is stored', async () => {
        const { values } = await client.threads.getState<{ steps: string[] }>(threadId);
        return values.steps.length === 1;
      });
      return { threadId, runId };
    },
    letGo: () => writeFile(path.join(folder, 'go'), ''),
    firstSteps: async () => (await readFile(path.join(folder, 'steps.txt'), 'utf8')).trim().split(' ').length,
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

function projectOfSteps(): Promise<GraphProject> {
  const config = JSON.stringify({ graphs: { steps: './graph.mjs:graph' } });
  return graphProject({
    line: 'langgraph-1.7',
    files: { 'langgraph.json': config, 'graph.mjs': STEPS },
    empty: true,
  });
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Ended already.
  }
}
