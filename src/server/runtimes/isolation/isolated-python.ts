import path from 'node:path';
import { type Project, ProjectError } from '../project/project.ts';
import { pythonVersionIn } from '../project/project-config.ts';
import type { PythonEnvironment } from '../python/python-environment.ts';
import { findSystemPython, OLDEST_PYTHON, readVersionOfEnvironment } from '../python/python-executable.ts';

/**
 * Finds the Python of an isolated project, without running any program of the project, which would run as the
 * server's user.
 * @param environment the folder of the environment that was created for the build.
 * @param searchPath the server's own PATH.
 * @throws ProjectError when there is none.
 */
export async function findIsolatedPython(
  { dir, config }: Pick<Project, 'dir' | 'config'>,
  environment: string | undefined,
  searchPath: string | undefined,
): Promise<PythonEnvironment> {
  for (const folder of [environment, path.join(dir, '.venv'), path.join(dir, 'venv')]) {
    if (folder === undefined) continue;
    const file = path.join(folder, 'bin', 'python');
    const version = await readVersionOfEnvironment(folder, file);
    if (version !== undefined)
      return { file, version, origin: `${path.basename(folder)} of its build`, isVirtual: true };
  }
  const wanted = pythonVersionIn(config);
  const system = await findSystemPython(searchPath, wanted);
  if (system !== undefined) return { ...system, origin: 'the system', isVirtual: false };
  throw new ProjectError(
    `Python ${wanted ?? OLDEST_PYTHON} ${wanted === undefined ? 'or later ' : ''}was not found on this machine, and the build has no virtual environment in .venv. Install it, or make .venv in install_command.`,
  );
}
