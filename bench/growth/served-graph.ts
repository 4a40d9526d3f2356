import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { type ServerProcess, serverProcess } from '../../test/support/control-plane/server-process.ts';
import { eventually } from '../../test/support/wait.ts';
import { graphProject } from '../harness/graph-project.ts';

const GRAPH = 'growing';
const Opened = z.object({ deployment_id: z.string(), deployment_url: z.url() });
const Folder = z.object({ runtime: z.object({ state: z.string() }) });

/** The growing graph, served by a server with its own data folder. */
export interface ServedGraph extends AsyncDisposable {
  readonly graph: typeof GRAPH;
  readonly server: ServerProcess;
  readonly url: string;
  readonly sdk: Client;
  readonly deploymentId: string;
  /** Peak resident memory so far of the server and of its largest child, in MB; 0 where the system does not report it. */
  peakMb(): Promise<{ server: number; runtime: number }>;
}

export async function serveGrowing(): Promise<ServedGraph> {
  const server = await serverProcess({ env: { AGENT_HARBOR_TRACING: 'off' } });
  const config = path.join(await graphProject(), 'langgraph.growth.json');
  await writeFile(config, JSON.stringify({ node_version: '22', graphs: { [GRAPH]: './growing.js:graph' } }));
  const body = { config_path: config, port: 0 };
  const opened = await server.fetch('/harbor/workspaces', { method: 'POST', body });
  const { deployment_id, deployment_url } = Opened.parse(await opened.json());
  const state = async () => {
    const found = await server.fetch(`/harbor/workspaces/${deployment_id}`);
    return Folder.parse(await found.json()).runtime.state;
  };
  await eventually('the graph is loaded', state, (now) => now === 'ready', 60_000);
  return {
    graph: GRAPH,
    server,
    url: deployment_url,
    deploymentId: deployment_id,
    sdk: new Client({ apiUrl: deployment_url, apiKey: null, timeoutMs: 600_000 }),
    peakMb: async () => ({
      server: await peakOf(server.pid),
      runtime: Math.max(0, ...(await Promise.all(server.children().map(peakOf)))),
    }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}
