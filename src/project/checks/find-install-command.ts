import path from 'node:path';
import { listFoldersAround } from '../folders-around.ts';
import { findPythonLock, installedFrom, isMadeByUv, readPythonSources } from '../install/python-sources.ts';
import type { ProjectFiles } from '../project-files.ts';

/**
 * The command that installs the requirements of a Python folder: with uv or Poetry if the folder or one
 * around it has their lockfile, else with pip.
 * @param environment where pip installs; undefined when it has to be created.
 * @param shownFrom the folder where the command is shown. If it is not `folder`, the command ends with the
 * path of `folder` relative to it.
 */
export async function findInstallCommand(
  files: ProjectFiles,
  folder: string,
  environment: string | undefined,
  shownFrom = folder,
): Promise<string> {
  const lock = await findPythonLock(files, await listFoldersAround(folder, files));
  if (lock !== undefined) return lock.tool === 'uv' ? 'uv sync' : 'poetry install';
  const isWindows = process.platform === 'win32';
  const inside = isWindows ? path.join('Scripts', 'python') : path.join('bin', 'python');
  const python = path.join(environment === undefined ? '.venv' : path.relative(folder, environment), inside);
  const what = installedFrom(await readPythonSources(files, folder)).join(' ');
  const make =
    environment === undefined ? (isWindows ? 'py -m venv .venv, then ' : 'python3 -m venv .venv && ') : '';
  const where = folder === shownFrom ? '' : ` in ${path.relative(shownFrom, folder)}`;
  if (environment !== undefined && (await isMadeByUv(files, environment)))
    return `uv pip install --python ${python} ${what}${where}`;
  return `${make}${python} -m pip install ${what}${where}`;
}
