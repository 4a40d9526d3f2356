import { execFile } from 'node:child_process';
import { access, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, installOnce, projectRoot } from './cache.ts';
import { type GraphProject, readGraphs } from './projects.ts';
import type { RuntimeHostOptions } from './runtime/runtime-host.ts';

const run = promisify(execFile);

const fixtures = path.join(projectRoot, 'test', 'fixtures', 'projects-python');

/** The supported lines of Python's LangGraph. */
export const pythonLines = ['langgraph-0.6', 'langgraph-1.0', 'langgraph-1.2'] as const;
export type PythonLine = (typeof pythonLines)[number];

export interface PythonProject extends GraphProject {
  /** The interpreter of the environment with this line's packages. */
  readonly python: string;
}

/** Python tests are skipped, with a line that says so, where they cannot run. */
export class PythonMissingError extends Error {
  override readonly name = 'PythonMissingError';
}

/**
 * Gives a suite the environment of a line, or skips it and says why. Call it in `before`.
 */
export async function requirePython(context: Mocha.Context, line: PythonLine): Promise<string> {
  context.timeout(10 * 60_000);
  try {
    return await pythonEnvironment(line);
  } catch (error) {
    if (!(error instanceof PythonMissingError)) throw error;
    console.log(`      skipped: ${error.message}`);
    context.skip();
  }
}

/**
 * The interpreter of a virtual environment with a line's packages, made in the cache when it is first asked for.
 * @throws PythonMissingError when there is no Python 3.11 or later, or its packages cannot be fetched.
 */
export async function pythonEnvironment(line: PythonLine): Promise<string> {
  const base = await findPython();
  const requirements = await readFile(path.join(fixtures, line, 'requirements.txt'), 'utf8');
  const { folder } = await installOnce(
    {
      name: `python-${line}`,
      versions: { requirements, python: base.version },
      install: async (target) => {
        await makeEnvironment(base.file, target, path.join(fixtures, line, 'requirements.txt'));
        return {};
      },
    },
    cacheFolder(),
  );
  return interpreterIn(folder);
}

/** The interpreter of a virtual environment. */
export function interpreterIn(environment: string): string {
  return process.platform === 'win32'
    ? path.join(environment, 'Scripts', 'python.exe')
    : path.join(environment, 'bin', 'python');
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
export async function servablePythonProject(python: string): Promise<PythonProject> {
  const project = await pythonProject({ python });
  await symlink(path.dirname(path.dirname(python)), path.join(project.folder, '.venv'), 'junction');
  return project;
}

/** How to start the Python runtime on a project. */
export function pythonRuntime(
  project: PythonProject,
  env: Readonly<Record<string, string>> = {},
): RuntimeHostOptions {
  const main = path.join(projectRoot, 'src', 'runtime', 'python', 'main.py');
  return { project, command: { file: project.python, args: ['-u', main] }, env };
}

async function makeEnvironment(base: string, target: string, requirements: string): Promise<void> {
  try {
    await run(base, ['-m', 'venv', target], { timeout: 120_000 });
    await run(
      interpreterIn(target),
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements],
      { timeout: 480_000 },
    );
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new PythonMissingError(
      `the packages of Python's LangGraph could not be installed: ${text.slice(-600)}`,
    );
  }
}

/** The first Python of the PATH, 3.11 or later. */
export async function findPython(): Promise<{ file: string; version: string }> {
  const names = process.platform === 'win32' ? ['python.exe'] : ['python3', 'python'];
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const name of names) {
      const file = path.join(folder, name);
      const version = await versionOf(file);
      const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
      if (version !== undefined && (major > 3 || (major === 3 && minor >= 11))) return { file, version };
    }
  }
  throw new PythonMissingError('there is no Python 3.11 or later on the PATH.');
}

async function versionOf(file: string): Promise<string | undefined> {
  try {
    await access(file);
    const print = 'import sys; print(".".join(map(str, sys.version_info[:3])))';
    const { stdout } = await run(file, ['-c', print], { timeout: 10_000 });
    return stdout.trim();
  } catch {
    return undefined;
  }
}
