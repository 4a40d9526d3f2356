/**
 * Records test/fixtures/errors/recorded.json again: the texts of errors in traces, and their stacks, as the real
 * runtimes of both languages write them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { graphProject } from '../test/support/projects.ts';
import { pythonEnvironment, servablePythonProject } from '../test/support/python-projects.ts';
import { fixtureOfErrors, type RecordedError } from '../test/support/recorded-errors.ts';
import { type ServedProject, serveProject } from '../test/support/served-project.ts';
import { eventually } from '../test/support/wait.ts';

const folder = path.dirname(fixtureOfErrors);
const Stack = z.object({ way: z.string(), stack: z.string().optional() });
const Spans = z.object({
  runs: z.array(z.object({ id: z.string(), error: z.string(), parent_run_id: z.string().nullish() })),
});

/** The error of the deepest failed span, as the tracer sent it. */
async function tracedError({ platformUrl, apiKey }: ServedProject, runId: string): Promise<string> {
  const runs = await eventually(
    'the trace is stored',
    async () => {
      const response = await fetch(`${platformUrl}/api/v1/runs/query`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({
          trace: runId,
          error: true,
          order: 'asc',
          select: ['id', 'error', 'parent_run_id'],
        }),
      });
      return Spans.parse(await response.json()).runs;
    },
    (found) => found.some(({ id }) => id === runId),
  );
  const parents = new Set(runs.map(({ parent_run_id }) => parent_run_id));
  return runs.find(({ id }) => !parents.has(id))?.error ?? '';
}

async function record(served: ServedProject, language: RecordedError['language'], ways: string[]) {
  const client = new Client({ apiUrl: served.url });
  const errors = new Map<string, string>();
  const fail = async (way: string, graph: string) => {
    const { thread_id } = await client.threads.create();
    const { run_id } = await client.runs.create(thread_id, graph, {
      input: { way },
      config: { recursion_limit: 5 },
    });
    await client.runs.join(thread_id, run_id).catch(() => undefined); // It fails, as it is meant to.
    errors.set(way, await tracedError(served, run_id));
  };
  for (const way of ways) await fail(way, 'failing');
  await fail('a conflict of updates in LangGraph', 'conflict');
  await fail('too many steps in LangGraph', 'endless');
  const stacks = (await readFile(path.join(served.project.folder, 'stacks.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => Stack.parse(JSON.parse(line)));
  const places = [
    [served.project.folder, '/home/ada/project'],
    [path.resolve(folder, '..', '..', '..'), '/home/ada/agent-harbor'],
  ] as const;
  const plain = (text: string) =>
    places
      .reduce((sum, [from, to]) => sum.replaceAll(from, to), text)
      .replaceAll(/(file:\/\/)?\/[^\s"()]*\/node_modules\//g, '$1/home/ada/project/node_modules/')
      .replaceAll(/\/[^\s"]*\/site-packages\//g, '/home/ada/project/.venv/lib/python3.11/site-packages/')
      .replaceAll(/\/[^\s"()]*\/(?=runtime-node\.js)/g, '///home/ada/agent-harbor/dist/')
      .replaceAll(/\/[^\s"]*\/lib\/python3\.\d+\/(?!site-packages)/g, '/usr/lib/python3.11/');
  return [...errors].map(([way, error]) => {
    const stack = stacks.find((one) => one.way === way)?.stack;
    return { language, way, error: plain(error), ...(stack !== undefined && { stack: plain(stack) }) };
  });
}

async function waysOf(file: string): Promise<string[]> {
  const [, text = ''] = /\bWAYS = \{\n([\s\S]*?)\n\};?\n/.exec(await readFile(file, 'utf8')) ?? [];
  return [...text.matchAll(/^ {2,4}(?:'([^']+)'|"([^"]+)"|(zod)): /gm)].map(
    ([, js, py, bare]) => js ?? py ?? bare ?? '',
  );
}

const graphs = (file: string) => ({
  graphs: Object.fromEntries(['failing', 'conflict', 'endless'].map((name) => [name, `./${file}:${name}`])),
});
const recorded: RecordedError[] = [];
for (const [language, name] of [
  ['node', 'failing.mjs'],
  ['python', 'failing.py'],
] as const) {
  const files = {
    [name]: await readFile(path.join(folder, name), 'utf8'),
    'langgraph.json': JSON.stringify(graphs(name)),
  };
  const given =
    language === 'node'
      ? await graphProject({ line: 'langgraph-1.7', empty: true, files })
      : await servablePythonProject(await pythonEnvironment('langgraph-1.2'), { empty: true, files });
  await using served = await serveProject({ given });
  recorded.push(...(await record(served, language, await waysOf(path.join(folder, name)))));
}
await writeFile(fixtureOfErrors, `${JSON.stringify(recorded, null, 2)}\n`);
console.log(`${recorded.length} errors`);
