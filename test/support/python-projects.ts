import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectRoot } from './cache.ts';
import { type GraphProject, linesToTest, readGraphs } from './projects.ts';
import { interpreterIn, makeEnvironment, type Python, withPython } from './python-environments.ts';
import type { RuntimeHostOptions } from './runtime/runtime-host.ts';

const fixtures = path.join(projectRoot, 'test', 'fixtures', 'projects-python');

const DEBUGPY = 'debugpy==1.8.17\n';

/** The supported lines of Python's LangGraph. */
export const supportedPythonLines = ['langgraph-0.6', 'langgraph-1.0', 'langgraph-1.2'] as const;
export type PythonLine = (typeof supportedPythonLines)[number];
export const pythonLines: readonly PythonLine[] = linesToTest(supportedPythonLines);

export interface PythonProject extends GraphProject {
  /** The interpreter of the environment with this line's packages. */
  readonly python: string;
}

/**
 * Gives a suite the environment of a line, or skips it and says why. Call it in `before`.
 */
export async function requirePython(context: Mocha.Context, line: PythonLine): Promise<string> {
  context.timeout(10 * 60_000);
  return withPython(context, () => pythonEnvironment(line));
}

/**
 * The interpreter of a virtual environment with a line's packages, made in the cache when it is first needed.
 * @throws PythonMissingError when there is no Python 3.11 or later, or its packages cannot be fetched.
 */
export async function pythonEnvironment(line: PythonLine): Promise<string> {
  return interpreterIn(await makeEnvironment(`python-${line}`, await requirementsOf(line)));
}

/**
 * The same with debugpy in it, made with a given interpreter instead of the first in the PATH. @throws
 * PythonMissingError
 */
export async function debuggableEnvironment(line: PythonLine, base: Python): Promise<string> {
  const requirements = `${await requirementsOf(line)}${DEBUGPY}`;
  return interpreterIn(await makeEnvironment(`python-debugpy-${line}`, requirements, '', base));
}

/**
 * Gives a suite an environment with a line's packages and others, or skips it and says why.
 * @param requirements lines of a requirements.txt, dependencies included
 */
export async function requireEnvironment(
  context: Mocha.Context,
  line: PythonLine,
  name: string,
  requirements: string,
): Promise<string> {
  context.timeout(10 * 60_000);
  return withPython(context, async () =>
    interpreterIn(
      await makeEnvironment(`python-${name}-${line}`, `${await requirementsOf(line)}${requirements}`),
    ),
  );
}

function requirementsOf(line: PythonLine): Promise<string> {
  return readFile(path.join(fixtures, line, 'requirements.txt'), 'utf8');
}

/** A folder with debugpy and nothing else. @throws PythonMissingError */
export async function debugpyFolder(): Promise<string> {
  const environment = await makeEnvironment('debugpy', DEBUGPY);
  if (process.platform === 'win32') return path.join(environment, 'Lib', 'site-packages');
  const [version = ''] = await readdir(path.join(environment, 'lib'));
  return path.join(environment, 'lib', version, 'site-packages');
}

/** A copy of the Python fixture graphs in a temporary folder. */
export async function pythonProject(options: {
  python: string;
  /** Files to write over or beside the fixture's, by path in the project. */
  files?: Readonly<Record<string, string>>;
  empty?: boolean;
}): Promise<PythonProject> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-python-'));
  if (options.empty !== true) await cp(path.join(fixtures, 'graphs'), folder, { recursive: true });
  for (const [name, text] of Object.entries(options.files ?? {})) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return {
    folder,
    python: options.python,
    graphs: await readGraphs(path.join(folder, 'langgraph.json')),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** The same, with the environment where the server looks for it. */
export async function servablePythonProject(
  python: string,
  options: Omit<Parameters<typeof pythonProject>[0], 'python'> = {},
): Promise<PythonProject> {
  const project = await pythonProject({ python, ...options });
  await symlink(path.dirname(path.dirname(python)), path.join(project.folder, '.venv'), 'junction');
  return project;
}

/** The command that starts the Python runtime on a project. */
export function pythonRuntime(
  project: PythonProject,
  env: Readonly<Record<string, string>> = {},
): RuntimeHostOptions {
  const main = path.join(projectRoot, 'src', 'runtime', 'python', 'main.py');
  return { project, command: { file: project.python, args: ['-u', main] }, env };
}
