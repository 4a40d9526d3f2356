import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { exists } from '../../../process/exists.ts';
import { ifReadable } from '../../../process/if-present.ts';
import { searchPathOf } from '../../../process/search-path.ts';
import { listFoldersAround } from '../../../project/folders-around.ts';
import { commandAsGraphUser } from '../process/graph-user.ts';
import type { Project } from '../project/project.ts';
import { ProjectError } from '../project/project.ts';
import { pythonVersionIn } from '../project/project-config.ts';
import { ENVIRONMENT_NAMES } from '../watch/package-watcher.ts';
import { inUtf8 } from './python-encoding.ts';
import {
  explainWhyNot,
  findInterpreter,
  findSystemPython,
  isSupported,
  matchesVersion,
  OLDEST_PYTHON,
  type PythonExecutable,
  readVersion,
} from './python-executable.ts';

const run = promisify(execFile);

/** The Python that a project's graphs run on. */
export interface PythonEnvironment extends PythonExecutable {
  /** Where it was found, in words for the log. */
  readonly origin: string;
  /**
   * Whether the interpreter belongs to an environment, into which packages can be installed, and not to the
   * system.
   */
  readonly isVirtual: boolean;
  /** A sentence about an environment that takes precedence, but whose Python does not run. */
  readonly broken?: string | undefined;
}

interface PythonSearch {
  /** The user's choice: an interpreter or the folder of an environment. */
  readonly chosen: string | undefined;
  /** The variable that names the choice, if it comes neither from the editor nor from an option. */
  readonly chosenBy?: string | undefined;
  /** The variables that graphs get. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Finds the Python of a project. In this order: the chosen one; `.venv` or `venv` in the project's folder or an ancestor
 * (uv keeps one there for a whole workspace); the environment that poetry or conda keeps for the project; the activated
 * environment; an interpreter of the system, of the version `python_version` if possible.
 * @throws ProjectError if there is none, or if the chosen one does not work.
 */
export async function findPythonEnvironment(
  project: Pick<Project, 'dir' | 'config'>,
  { chosen, chosenBy, env }: PythonSearch,
): Promise<PythonEnvironment> {
  if (chosen !== undefined && chosen !== '') return findChosenPython(project, chosen, chosenBy);
  const found = await findPython(project, env);
  return { ...found, broken: await findBroken(project.dir, env, found.file) };
}

/** Finds the Python of a project for which none was chosen. @throws ProjectError when there is none. */
async function findPython(
  project: Pick<Project, 'dir' | 'config'>,
  env: Readonly<Record<string, string>>,
): Promise<PythonEnvironment> {
  const searchPath = searchPathOf(env);
  const found =
    (await findInFolders(project.dir, env)) ??
    (await findPoetryEnvironment(project.dir, env)) ??
    (await findCondaEnvironment(project.dir)) ??
    (await findActivatedEnvironment(env));
  if (found !== undefined) {
    if (isSupported(found.version)) return found;
    throw new ProjectError(
      `${found.file} is Python ${found.version}; graphs need ${OLDEST_PYTHON} or later. Create the environment again with a newer Python.`,
    );
  }
  const wanted = pythonVersionIn(project.config);
  const system = await findSystemPython(searchPath, wanted);
  if (system !== undefined) return { ...system, origin: 'the system', isVirtual: false };
  throw new ProjectError(
    `Python ${wanted ?? OLDEST_PYTHON} ${wanted === undefined ? 'or later ' : ''}for the graphs of ${project.dir} was not found on this machine. ` +
      'Install it, create a virtual environment in .venv, or choose an interpreter.',
  );
}

/**
 * A warning if the environment's version is not the one that langgraph.json requires; the environment is used
 * anyway.
 */
export function versionWarning(
  config: Project['config'],
  { version, file }: PythonExecutable,
): string | undefined {
  const wanted = pythonVersionIn(config);
  if (wanted === undefined || matchesVersion(version, wanted)) return undefined;
  return `langgraph.json requires Python ${wanted}, but ${file} is ${version}.`;
}

async function findChosenPython(
  project: Pick<Project, 'dir'>,
  chosen: string,
  chosenBy: string | undefined,
): Promise<PythonEnvironment> {
  const place = path.resolve(project.dir, chosen);
  const version = await readVersion(place);
  const found = version === undefined ? await findInterpreter(place) : { file: place, version };
  if (found === undefined) {
    const why = await explainWhyNot(place);
    throw new ProjectError(
      chosenBy === undefined
        ? `The selected Python ${place} does not run: ${why}. Choose another interpreter.`
        : `${chosenBy} is ${place}, which does not run: ${why}. Set it to an interpreter or the folder of an environment, or remove it.`,
    );
  }
  if (!isSupported(found.version)) {
    throw new ProjectError(
      `${chosenBy === undefined ? 'The selected Python' : `${chosenBy}, Python`} ${place} is ${found.version}. Graphs need ${OLDEST_PYTHON} or later. Choose another interpreter.`,
    );
  }
  const folder = path.dirname(path.dirname(found.file));
  const isVirtual =
    (await exists(path.join(folder, 'pyvenv.cfg'))) || (await exists(path.join(folder, 'conda-meta')));
  return { ...found, origin: 'chosen', isVirtual };
}

/** A sentence about an environment of the project that is not used, because its Python does not run. */
async function findBroken(
  dir: string,
  env: Readonly<Record<string, string>>,
  used: string,
): Promise<string | undefined> {
  for (const name of namesOfEnvironments(env)) {
    const place = path.resolve(dir, name);
    if (used.startsWith(place + path.sep)) return undefined;
    if (!(await exists(place)) || (await findInterpreter(place)) !== undefined) continue;
    const python = path.join(place, process.platform === 'win32' ? 'Scripts\\python.exe' : 'bin/python');
    return `${name} is not used, because its Python does not run (${await explainWhyNot(python)}). Recreate it, or delete it.`;
  }
  return undefined;
}

function namesOfEnvironments({ UV_PROJECT_ENVIRONMENT }: Readonly<Record<string, string>>): string[] {
  return [...(UV_PROJECT_ENVIRONMENT === undefined ? [] : [UV_PROJECT_ENVIRONMENT]), ...ENVIRONMENT_NAMES];
}

/** Finds an environment such as `.venv` in the project's folder, or in a folder above it in the repository. */
async function findInFolders(
  dir: string,
  env: Readonly<Record<string, string>>,
): Promise<PythonEnvironment | undefined> {
  for (const folder of await listFoldersAround(dir)) {
    for (const name of namesOfEnvironments(env)) {
      const place = path.resolve(folder, name);
      const found = await findInterpreter(place);
      if (found === undefined) continue;
      const owner = folder === dir ? 'the project' : folder;
      return { ...found, origin: `${path.basename(place)} of ${owner}`, isVirtual: true };
    }
  }
  return undefined;
}

/** The command that prints where poetry keeps a project's environment. On Windows, poetry may be a batch file. */
export function askPoetry(platform: NodeJS.Platform): [program: string, args: string[]] {
  const args = ['env', 'info', '--path'];
  return platform === 'win32'
    ? [process.env.ComSpec ?? 'cmd.exe', ['/d', '/s', '/c', ['poetry', ...args].join(' ')]]
    : ['poetry', args];
}

/**
 * Finds the environment in which poetry keeps a project's packages. By default, it is in a folder that only poetry
 * knows.
 */
async function findPoetryEnvironment(
  dir: string,
  env: Readonly<Record<string, string>>,
): Promise<PythonEnvironment | undefined> {
  const usesPoetry =
    (await exists(path.join(dir, 'poetry.lock'))) ||
    (await readText(path.join(dir, 'pyproject.toml'))).includes('[tool.poetry');
  if (!usesPoetry) return undefined;
  const folder = await run(...commandAsGraphUser(...askPoetry(process.platform)), {
    cwd: dir,
    // Poetry must print paths in UTF-8, and cmd.exe must not run a program in the project called poetry.
    env: inUtf8({ ...env, NoDefaultCurrentDirectoryInExePath: '1' }),
    timeout: 20_000,
    windowsHide: true,
  }).then(
    ({ stdout }) => stdout.trim(),
    // Poetry also fails if it is not installed, or has made no environment. Other Pythons are tried then.
    () => '',
  );
  const found = folder === '' ? undefined : await findInterpreter(folder);
  return found === undefined ? undefined : { ...found, origin: 'poetry', isVirtual: true };
}

/** Finds the conda environment that `environment.yml` names. */
async function findCondaEnvironment(dir: string): Promise<PythonEnvironment | undefined> {
  const text =
    (await readText(path.join(dir, 'environment.yml'))) ||
    (await readText(path.join(dir, 'environment.yaml')));
  const name = /^name:\s*["']?([^"'\s#]+)/m.exec(text)?.[1];
  if (name === undefined) return undefined;
  // Conda keeps a list of all environments that it has created.
  const list = await readText(path.join(homedir(), '.conda', 'environments.txt'));
  const folder = list.split(/\r?\n/).find((line) => path.basename(line) === name);
  const found = folder === undefined ? undefined : await findInterpreter(folder);
  return found === undefined ? undefined : { ...found, origin: `conda's '${name}'`, isVirtual: true };
}

/** Finds the environment that is activated in the terminal; conda's base environment does not count. */
async function findActivatedEnvironment(
  env: Readonly<Record<string, string>>,
): Promise<PythonEnvironment | undefined> {
  for (const folder of [env.VIRTUAL_ENV, env.CONDA_DEFAULT_ENV === 'base' ? undefined : env.CONDA_PREFIX]) {
    const found = folder === undefined ? undefined : await findInterpreter(folder);
    if (found !== undefined) return { ...found, origin: 'the activated environment', isVirtual: true };
  }
  return undefined;
}

/** The text of a file; empty if it cannot be read. */
async function readText(file: string): Promise<string> {
  return (await ifReadable(readFile(file, 'utf8'))) ?? '';
}
