import { cp, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectRoot } from './cache.ts';
import type { GraphProject } from './projects.ts';

/** Agents with the same behavior in both languages. */
const AGENTS = {
  node: graphsOf('mjs'),
  python: graphsOf('py'),
};

function graphsOf(extension: string): Record<string, string> {
  const names = ['agent', 'failing', 'long', 'stalled'];
  return Object.fromEntries(names.map((name) => [name, `./${name}.${extension}:graph`]));
}

/** A copy of the agents that call models and tools, with the SDKs of this repository. */
export async function replayProject(
  variables: Readonly<Record<string, string>>,
  language: keyof typeof AGENTS = 'node',
): Promise<GraphProject> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'agent-harbor-replay-')));
  await cp(path.join(projectRoot, 'test', 'fixtures', 'replay-agent'), folder, { recursive: true });
  await symlink(path.join(projectRoot, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(path.join(folder, '.env'), lines.join(''));
  const graphs = AGENTS[language];
  const config = { graphs, env: '.env', dependencies: ['.'] };
  await writeFile(path.join(folder, 'langgraph.json'), JSON.stringify(config));
  return {
    folder,
    graphs: Object.fromEntries(Object.entries(graphs).map(([id, path]) => [id, { path }])),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
