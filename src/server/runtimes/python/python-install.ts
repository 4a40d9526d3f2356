import path from 'node:path';
import type { InstallChoice } from '../../../contract/harbor.ts';
import { exists } from '../../../process/exists.ts';
import { findOnPath } from '../../../process/find-on-path.ts';
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
  const hasUv = (await findOnPath('uv', searchPathOf(env))) !== undefined;
  const choices: InstallChoice[] = [];
  const lock = await findPythonLock(filesOnDisk, await listFoldersAround(dir));
  if (lock?.tool === 'poetry') choices.push({ tool: 'poetry', steps: [['poetry', 'install']] });
  if (!python.isVirtual && (await has('environment.yml'))) {
    choices.push({ tool: 'conda', steps: [['conda', 'env', 'create', '-f', 'environment.yml']] });
  }
  const packages = installedFrom(await readPythonSources(filesOnDisk, dir));
  const newInterpreter = path.join('.venv', process.platform === 'win32' ? 'Scripts\\python' : 'bin/python');
  const lockFolder = lock?.tool === 'uv' ? lock.dir : undefined;
  const isOfUv = python.isVirtual && (await isMadeByUv(filesOnDisk, environmentOf(python)));
  const uv = { tool: 'uv', steps: uvSteps({ dir, python, packages, lockFolder, newInterpreter }) };
  const pipInstall = [python.isVirtual ? python.file : newInterpreter, '-m', 'pip', 'install', ...packages];
  const pip = {
    tool: 'pip',
    steps: python.isVirtual ? [pipInstall] : [[python.file, '-m', 'venv', '.venv'], pipInstall],
  };
  // An environment that uv created usually has no pip.
  if (isOfUv) return [...choices, uv];
  if (lockFolder !== undefined) return [...choices, uv, pip];
  if (!hasUv) return [...choices, pip];
  return [...choices, ...(python.isVirtual ? [pip, uv] : [uv, pip])];
}

/** The folder of a virtual environment. */
function environmentOf(python: PythonEnvironment): string {
  return path.dirname(path.dirname(python.file));
}

/**
 * A choice as a command line to type. On Windows, it is for PowerShell, which needs `&` before a quoted program; older
 * versions do not support `&&`.
 */
export function commandLine({ steps }: InstallChoice, platform: NodeJS.Platform = process.platform): string {
  const windows = platform === 'win32';
  const quoted = (word: string, at: number) =>
    /\s/.test(word) ? `${windows && at === 0 ? '& ' : ''}"${word}"` : word;
  return steps.map((step) => step.map(quoted).join(' ')).join(windows ? ', then ' : ' && ');
}

/** The commands of uv that install a project's packages. */
function uvSteps(about: {
  dir: string;
  python: PythonEnvironment;
  /** The arguments that name the packages. */
  packages: string[];
  /** The folder of uv.lock. */
  lockFolder: string | undefined;
  /** The interpreter of an environment that has to be created. */
  newInterpreter: string;
}): string[][] {
  const { dir, python, packages, lockFolder, newInterpreter } = about;
  const isOwn =
    !python.isVirtual ||
    [dir, lockFolder ?? dir].some((folder) => environmentOf(python) === path.join(folder, '.venv'));
  // Without a lockfile, `uv sync` would create one, leave out a requirements.txt, and fail without a [project] table.
  if (isOwn && lockFolder !== undefined) return [['uv', 'sync']];
  const into = (environment: string) => ['uv', 'pip', 'install', '--python', environment, ...packages];
  return python.isVirtual
    ? [into(python.file)]
    : [['uv', 'venv', '--python', python.file], into(newInterpreter)];
}
