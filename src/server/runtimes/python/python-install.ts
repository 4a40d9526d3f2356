import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import type { InstallChoice } from '../../../contract/harbor.ts';
import { searchPathOf } from '../../../process/search-path.ts';
import { listFoldersAround } from '../../../project/folders-around.ts';
import {
  findPythonLock,
  installedFrom,
  isMadeByUv,
  readPythonSources,
} from '../../../project/install/python-sources.ts';
import { filesOnDisk } from '../../../project/project-files.ts';
import type { PythonEnvironment } from './python-environment.ts';

/**
 * The commands to run in a project's folder to install its packages: first with its own tool, then with others that can
 * do it. Each step is a program with its arguments.
 * @param env the variables with which programs are looked up.
 */
export async function installChoices(
  dir: string,
  python: PythonEnvironment,
  env: Readonly<Record<string, string>>,
): Promise<InstallChoice[]> {
  const has = (name: string) => exists(path.join(dir, name));
  const hasUv = await onPath('uv', env);
  const choices: InstallChoice[] = [];
  const lock = await findPythonLock(filesOnDisk, await listFoldersAround(dir));
  if (lock?.tool === 'poetry') choices.push({ tool: 'poetry', steps: [['poetry', 'install']] });
  if (!python.isVirtual && (await has('environment.yml'))) {
    choices.push({ tool: 'conda', steps: [['conda', 'env', 'create', '-f', 'environment.yml']] });
  }
  const sources = await readPythonSources(filesOnDisk, dir);
  const what = installedFrom(sources);
  const inside = path.join('.venv', process.platform === 'win32' ? 'Scripts\\python' : 'bin/python');
  const locked = lock?.tool === 'uv' ? lock.dir : undefined;
  const isOfUv = python.isVirtual && (await isMadeByUv(filesOnDisk, environmentOf(python)));
  const uv = {
    tool: 'uv',
    steps: uvSteps({ dir, python, what, isPackage: sources.isPackage, locked, inside }),
  };
  const fill = [...(python.isVirtual ? [python.file] : [inside]), '-m', 'pip', 'install', ...what];
  const pip = {
    tool: 'pip',
    steps: python.isVirtual ? [fill] : [[python.file, '-m', 'venv', '.venv'], fill],
  };
  // An environment that uv created is filled with uv.
  if (isOfUv) return [...choices, uv];
  if (locked !== undefined) return [...choices, uv, pip];
  if (!hasUv) return [...choices, pip];
  return [...choices, ...(python.isVirtual ? [pip, uv] : [uv, pip])];
}

/** The folder of a virtual environment. */
function environmentOf(python: PythonEnvironment): string {
  return path.dirname(path.dirname(python.file));
}

/**
 * A choice as a command line to type; on Windows for PowerShell, which needs an `&` before a quoted program, and may
 * not support `&&`.
 */
export function commandLine({ steps }: InstallChoice, platform: NodeJS.Platform = process.platform): string {
  const windows = platform === 'win32';
  const quoted = (word: string, at: number) =>
    /\s/.test(word) ? `${windows && at === 0 ? '& ' : ''}"${word}"` : word;
  return steps.map((step) => step.map(quoted).join(' ')).join(windows ? ', then ' : ' && ');
}

function uvSteps(about: {
  dir: string;
  python: PythonEnvironment;
  what: string[];
  isPackage: boolean;
  /** The folder of uv.lock. */
  locked: string | undefined;
  inside: string;
}): string[][] {
  const { dir, python, what, isPackage, locked, inside } = about;
  const isOwn =
    !python.isVirtual ||
    [dir, locked ?? dir].some((folder) => environmentOf(python) === path.join(folder, '.venv'));
  // Without a lockfile, `uv sync` would remove other packages from an environment.
  if (isOwn && (locked !== undefined || (isPackage && !python.isVirtual))) return [['uv', 'sync']];
  const into = (environment: string) => ['uv', 'pip', 'install', '--python', environment, ...what];
  return python.isVirtual ? [into(python.file)] : [['uv', 'venv', '--python', python.file], into(inside)];
}

async function onPath(program: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const name = process.platform === 'win32' ? `${program}.exe` : program;
  for (const folder of (searchPathOf(env) ?? '').split(path.delimiter)) {
    if (folder !== '' && (await exists(path.join(folder, name), constants.X_OK))) return true;
  }
  return false;
}

async function exists(file: string, mode?: number): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  );
}
