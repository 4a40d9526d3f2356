import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, type StreamMode } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { npm, projectRoot } from '../cache.ts';
import { type GraphProject, readGraphs } from '../projects.ts';
import { makeEnvironment } from '../python-environments.ts';
import { pythonEnvironment, servablePythonProject } from '../python-projects.ts';
import { type ServedProject, serveProject } from '../served-project.ts';
import { type DeepAgent, type EventRecord, type RecordedLine, RunRecord } from './recordings.ts';

const panelModes: StreamMode[] = ['values', 'messages-tuple', 'updates', 'custom', 'tasks'];
const said = (content: string) => ({ messages: [{ type: 'human', content }] });

interface Scenario {
  readonly graph: string;
  readonly modes?: readonly StreamMode[];
  readonly input: unknown;
  readonly resume?: unknown;
  /** The number of message chunks after which the run is canceled. */
  readonly cancelAfter?: number;
}

const scenarios: Readonly<Record<string, Scenario>> = {
  'an answer in tokens': { graph: 'agent', input: said('all is well') },
  'a tool call': { graph: 'agent', input: said('weather in Rome') },
  'a tool call in every mode': {
    graph: 'agent',
    input: said('weather in Rome'),
    modes: [...panelModes, 'messages', 'events'],
  },
  'several messages at once': { graph: 'choir', input: said('Sing.') },
  'an agent in a subgraph': { graph: 'delegates', input: said('weather in Rome') },
  'a question and its answer': { graph: 'approval', input: { topic: 'tides' }, resume: 'yes' },
  'ways that are not declared': { graph: 'wanders', input: { steps: [] } },
  'custom events': { graph: 'custom_events', input: { count: 3 } },
  'a cancelled run': { graph: 'endless', input: said('all is well'), cancelAfter: 5 },
  'an error': { graph: 'fails', input: said('Go.') },
};

const deepScenarios: Readonly<Record<string, Scenario>> = {
  'three subagents': { graph: 'harbors', input: said('Compare three harbors.') },
  'a tool that asks a model': { graph: 'harbors', input: said('Ask the pilot.') },
  'a subagent that fails': { graph: 'harbors', input: said('Find Atlantis.') },
};

const places: Readonly<Record<string, string>> = {
  agent: 'chat:agent',
  approval: 'interrupts:approval',
  choir: 'streams:choir',
  delegates: 'streams:delegates',
  endless: 'streams:endless',
  fails: 'streams:fails',
  wanders: 'streams:wanders',
};

/** Runs every scenario on a LangGraph through the real server. */
export async function record(line: RecordedLine): Promise<RunRecord[]> {
  await using served = await serve(line);
  return await recordAll(served, scenarios);
}

/** Runs deep agents through the real server. */
export async function recordDeepAgents(deepAgent: DeepAgent): Promise<RunRecord[]> {
  await using served = await serveProject({ given: await deepAgentProject(deepAgent) });
  return await recordAll(served, deepScenarios);
}

async function recordAll(
  served: ServedProject,
  all: Readonly<Record<string, Scenario>>,
): Promise<RunRecord[]> {
  const runs: RunRecord[] = [];
  for (const [name, scenario] of Object.entries(all)) {
    runs.push(...timeless(await runScenario(served, name, scenario), served));
  }
  return runs;
}

/** A deep agent in a temporary folder with its packages. */
async function deepAgentProject({ language, name }: DeepAgent): Promise<GraphProject> {
  const source = path.join(projectRoot, 'test', 'fixtures', 'deep-agents');
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-deep-'));
  const [file, ...lists] =
    language === 'javascript'
      ? ['harbors.ts', 'package.json', 'package-lock.json']
      : ['harbors.py', 'requirements.txt'];
  for (const copied of [file, ...lists]) await cp(path.join(source, copied), path.join(folder, copied));
  const graphs = { harbors: `./${file}:harbors` };
  await writeFile(path.join(folder, 'langgraph.json'), JSON.stringify({ graphs }));
  if (language === 'javascript') await npm(['ci'], folder);
  else {
    const requirements = await readFile(path.join(source, 'requirements.txt'), 'utf8');
    await symlink(await makeEnvironment(name, requirements), path.join(folder, '.venv'), 'junction');
  }
  return {
    folder,
    graphs: await readGraphs(path.join(folder, 'langgraph.json')),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

function serve(line: RecordedLine): Promise<ServedProject> {
  const graphsOf = (ending: string, custom_events: string) => ({
    graphs: {
      ...Object.fromEntries(
        Object.entries(places).map(([id, place]) => [id, `./${place.replace(':', `.${ending}:`)}`]),
      ),
      custom_events,
    },
  });
  return line.language === 'javascript'
    ? serveProject({ line: line.line, config: graphsOf('ts', './basic.ts:customEvents') })
    : pythonEnvironment(line.line)
        .then((python) => servablePythonProject(python))
        .then((given) => serveProject({ given, config: graphsOf('py', './basic.py:custom_events') }));
}

async function runScenario(
  { url }: ServedProject,
  scenario: string,
  { graph, input, resume, modes = panelModes, cancelAfter = Number.POSITIVE_INFINITY }: Scenario,
): Promise<RunRecord[]> {
  const client = new Client({ apiUrl: url });
  const { thread_id } = await client.threads.create();
  const run = async (payload: { input: unknown } | { resume: unknown }): Promise<RunRecord> => {
    const events: EventRecord[] = [];
    let runId = '';
    let pieces = 0;
    const stream = client.runs.stream(thread_id, graph, {
      ...('input' in payload
        ? { input: z.record(z.string(), z.unknown()).parse(payload.input) }
        : { command: payload }),
      streamMode: [...modes],
      streamSubgraphs: true,
      onRunCreated: ({ run_id }) => {
        runId = run_id;
      },
    });
    for await (const { event, data } of stream) {
      events.push({ event, data });
      // Older LangGraphs name the node in the event, as if it were a subgraph.
      const isPiece = event.split('|')[0] === 'messages';
      if (isPiece && ++pieces === cancelAfter) await client.runs.cancel(thread_id, runId);
    }
    const { status } = await client.runs.get(thread_id, runId);
    const { values } = await client.threads.getState(thread_id);
    return { scenario, graph, ...payload, events, status, isCancelled: pieces >= cancelAfter, values };
  };
  const first = await run({ input });
  return resume === undefined ? [first] : [first, await run({ resume })];
}

/**
 * The same runs with ids numbered in order, one time and one place, and without environment variables, which
 * langsmith’s SDK for Python adds to metadata when it traces.
 */
function timeless(runs: RunRecord[], { project, url }: ServedProject): RunRecord[] {
  const ids = new Map<string, string>();
  const idOf = (id: string) => {
    const known = ids.get(id) ?? `id-${ids.size + 1}`;
    ids.set(id, known);
    return known;
  };
  const text = JSON.stringify(runs, (key, value) => (key.startsWith('LANGSMITH_') ? undefined : value))
    .replaceAll(project.folder, '/project')
    .replaceAll(url, 'http://server')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)/g, '2026-01-01T00:00:00.000Z')
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{32}\b/g, idOf);
  return z.array(RunRecord).parse(JSON.parse(text));
}
