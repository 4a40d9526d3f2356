// `node bench/recording/run.ts [node|python] [rounds]`: measures what recording adds to a run that streams; see
// bench/README.md.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import pidusage from 'pidusage';
import { z } from 'zod';
import { type ServerProcess, serverProcess } from '../../test/support/control-plane/server-process.ts';
import { processTree } from '../../test/support/process-tree.ts';
import { eventually } from '../../test/support/wait.ts';
import { graphProject } from '../harness/graph-project.ts';
import type { BenchGraph } from '../harness/graphs.ts';
import { HttpClient } from '../harness/http-client.ts';
import { pythonProject } from '../harness/python-project.ts';
import { p50 } from '../tracing/report.ts';
import { TOKENS, tokenOrigin } from './token-origin.ts';

const LANGUAGES = {
  node: { project: graphProject, file: 'streamed-model.js', name: 'Node' },
  python: { project: pythonProject, file: 'streamed_model.py', name: 'Python' },
};
const ROUNDS = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 8);
const asked = Object.keys(LANGUAGES).filter((language) => process.argv.includes(language));
/** Runs per turn: turns are short, so that a noisy moment affects both alike. */
const SPEEDS = [
  { title: '100 tokens/s', pauseMs: 10, runs: 1, warmUps: 1 },
  { title: 'no pause', pauseMs: 0, runs: 15, warmUps: 60 },
];
const WAYS = ['without', 'recorded'] as const;

const Opened = z.object({ deployment_id: z.string(), deployment_url: z.url() });
const Folder = z.object({ runtime: z.object({ state: z.string() }) });

for (const [language, { project, file, name }] of Object.entries(LANGUAGES)) {
  if (asked.length > 0 && !asked.includes(language)) continue;
  await using origin = await tokenOrigin();
  await using server = await serverProcess({ env: { AGENT_HARBOR_TRACING: 'off' } });
  const client = new HttpClient(await serve(server, await project(), { file, origin: origin.url }));
  console.log(`${name}: ${TOKENS} tokens, ${ROUNDS} rounds in turns; medians, recorded ÷ not recorded`);
  for (const speed of SPEEDS) await compare(client, server.pid, speed);
  await client.close();
}

async function serve(
  server: ServerProcess,
  project: string,
  { file, origin }: { file: string; origin: string },
): Promise<string> {
  const config = path.join(project, 'langgraph.recording.json');
  const graphs = { streamed_model: `./${file}:graph` };
  const env = { MODEL_ORIGIN: origin, AGENT_HARBOR_TRACING: 'off' };
  await writeFile(config, JSON.stringify({ dependencies: ['.'], graphs, env }));
  const body = { config_path: config, port: 0 };
  const opened = await server.fetch('/harbor/workspaces', { method: 'POST', body });
  const { deployment_id, deployment_url } = Opened.parse(await opened.json());
  const state = async () => {
    const found = await server.fetch(`/harbor/workspaces/${deployment_id}`);
    return Folder.parse(await found.json()).runtime.state;
  };
  await eventually('the graph is loaded', state, (now) => now === 'ready', 60_000);
  return deployment_url;
}

async function compare(
  client: HttpClient,
  pid: number,
  { title, pauseMs, runs, warmUps }: (typeof SPEEDS)[number],
): Promise<void> {
  const graph: BenchGraph = {
    id: 'streamed_model',
    input: { messages: [{ role: 'user', content: String(pauseMs) }] },
    streamMode: 'messages-tuple',
    event: 'messages',
    events: TOKENS,
  };
  const graphs = { without: graph, recorded: { ...graph, record: true } };
  const run = async (way: (typeof WAYS)[number]) =>
    (await client.streamRun(await client.createThread(), graphs[way])).endMs;
  for (let warmUp = 0; warmUp < warmUps; warmUp++) for (const way of WAYS) await run(way);
  const ends: Record<(typeof WAYS)[number], number[]> = { without: [], recorded: [] };
  const work = { without: 0, recorded: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of round % 2 === 0 ? WAYS : WAYS.toReversed()) {
      const before = await processorMs(pid);
      for (let each = 0; each < runs; each++) ends[way].push(await run(way));
      work[way] += (await processorMs(pid)) - before;
    }
  }
  const [without, recorded] = [p50(ends.without), p50(ends.recorded)];
  const each = (way: (typeof WAYS)[number]) => (work[way] / ends[way].length).toFixed(1);
  console.log(
    `  ${title}: end of stream ${without.toFixed(1)} → ${recorded.toFixed(1)} ms, ${(recorded / without).toFixed(3)} ×; ` +
      `processor time ${each('without')} → ${each('recorded')} ms a run, ${(work.recorded / work.without).toFixed(3)} ×`,
  );
}

/** User and system time of the server and all processes that it has started. */
async function processorMs(pid: number): Promise<number> {
  const usage = await pidusage(processTree([pid]));
  return Object.values(usage).reduce((sum, { ctime }) => sum + ctime, 0);
}
