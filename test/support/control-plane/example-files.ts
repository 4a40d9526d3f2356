import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../cache.ts';
import { installLine } from '../projects.ts';

/** The files that git tracks in a folder of this repository, by their path in that folder. */
export async function exampleFiles(folder: string): Promise<Record<string, string>> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z', '--', '.'], {
    cwd: path.join(projectRoot, folder),
  });
  const names = stdout.split('\0').filter((name) => /\.(?:json|ts|md|npmrc|py|toml|txt)$/.test(name));
  const files = await Promise.all(
    names.map(async (name) => [name, await readFile(path.join(projectRoot, folder, name), 'utf8')] as const),
  );
  return Object.fromEntries(files);
}

const slowGraph = (greeting: string) => `
import { Annotation, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ ticks: Annotation, greeting: Annotation });

/** Says something every 100 ms, \`ticks\` times. */
async function slow({ ticks }, config) {
  for (let tick = 0; tick < ticks; tick++) {
    config.writer({ tick, greeting: ${JSON.stringify(greeting)} });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { greeting: ${JSON.stringify(greeting)} };
}

export const graph = new StateGraph(State).addNode('slow', slow).addEdge('__start__', 'slow').compile();
`;

/** A slow graph that returns the commit from which it was built, to be added to a project. */
export function slowGraphFile(greeting: string): Record<string, string> {
  return { 'src/slow.mjs': slowGraph(greeting) };
}

/** The smallest project that really installs and runs: one graph on the newest LangGraph, with its lockfile. */
export async function smallProject(greeting: string): Promise<Record<string, string>> {
  const line = path.join(projectRoot, 'test/fixtures/projects/langgraph-1.7');
  return {
    'package.json': await readFile(path.join(line, 'package.json'), 'utf8'),
    'package-lock.json': await readFile(path.join(line, 'package-lock.json'), 'utf8'),
    '.gitignore': 'node_modules/\n.env\n',
    'langgraph.json': JSON.stringify({ graphs: { slow: './src/slow.mjs:graph' }, env: '.env' }),
    ...slowGraphFile(greeting),
  };
}

/** The command that gives `linkedProject` its packages. */
export const LINK_PACKAGES = 'node install.mjs';

/**
 * The same project without the installation, which other tests cover: its `LINK_PACKAGES` command links
 * packages that are installed once for all tests.
 */
export async function linkedProject(greeting: string): Promise<Record<string, string>> {
  const { 'package-lock.json': _, ...files } = await smallProject(greeting);
  const packages = path.join(await installLine('langgraph-1.7'), 'node_modules');
  return {
    ...files,
    'install.mjs': `import { symlink } from 'node:fs/promises';
await symlink(${JSON.stringify(packages)}, 'node_modules', 'junction');
`,
  };
}

/** The same, installed by npm: its one script is that command. */
export async function npmLinkedProject(greeting: string): Promise<Record<string, string>> {
  return {
    ...(await linkedProject(greeting)),
    'package.json': JSON.stringify({ name: 'linked', type: 'module', scripts: { install: LINK_PACKAGES } }),
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: { '': { name: 'linked' } } }),
  };
}
