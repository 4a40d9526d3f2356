import path from 'node:path';
import { exists } from '../../../../process/exists.ts';
import { BuildError } from '../../../../project/build-error.ts';
import { fileAsDependency } from '../../../../project/file-as-dependency.ts';
import { upwards } from '../../../../project/install/node-manager.ts';
import { readPythonSources } from '../../../../project/install/python-sources.ts';
import { isInside } from '../../../../project/paths.ts';
import { filesOnDisk } from '../../../../project/project-files.ts';
import {
  matchesVersion,
  OLDEST_PYTHON,
  type PythonExecutable,
} from '../../../runtimes/python/python-executable.ts';
import { pipInstall } from './pip.ts';
import type { PythonInstall, PythonProject } from './python-install.ts';
import { uvInstall } from './uv.ts';

/** The folder of the nearest uv.lock, from the config's folder up to the top of the source. */
export async function findUvLock(configDir: string, top: string): Promise<string | undefined> {
  for (const dir of upwards(configDir, top)) if (await exists(path.join(dir, 'uv.lock'))) return dir;
  return undefined;
}

/** The Python tools on this machine. */
export interface PythonTools {
  /** Whether uv is installed; otherwise pip is used. */
  readonly hasUv: boolean;
  /** Finds an interpreter of a version such as 3.12, otherwise another supported one. */
  findPython(version: string | undefined): Promise<PythonExecutable | undefined>;
}

/**
 * The commands that create a Python project's own `.venv` next to its langgraph.json: from uv.lock if there is
 * one, else from `dependencies`.
 * @throws BuildError for a missing folder in `dependencies`, and when there is no suitable Python.
 */
export async function pythonInstall(project: PythonProject, tools: PythonTools): Promise<PythonInstall> {
  const venv = path.join(project.configDir, '.venv');
  const version = project.pythonVersion;
  const python = await tools.findPython(version);
  const fits = python !== undefined && (version === undefined || matchesVersion(python.version, version));
  if (tools.hasUv) {
    const wanted = project.locked === undefined ? await findRequirements(project) : [];
    return uvInstall(project, { wanted, venv, interpreter: fits ? python.file : undefined });
  }
  const wanted = await findRequirements(project);
  if (!fits) {
    const found = python === undefined ? '' : ` (${python.file} is ${python.version})`;
    throw new BuildError(
      version === undefined
        ? `Python ${OLDEST_PYTHON} or later is not installed on this machine. Install it, or install uv, which downloads it.`
        : `Python ${version} is not installed on this machine${found}. Install it, install uv, which downloads it, or change python_version in langgraph.json.`,
    );
  }
  return pipInstall(project, { wanted, venv, interpreter: python.file });
}

/**
 * The packages to install for `dependencies`, as arguments of `pip install`: named packages, and folders. A
 * folder may have a package, a requirements.txt, or both; requirements.txt then pins the versions.
 * @throws BuildError for an option, and for a path that is not a folder in the source.
 */
async function findRequirements({ configDir, top, dependencies }: PythonProject): Promise<string[]> {
  const wanted: string[] = [];
  for (const dependency of dependencies) {
    if (!dependency.startsWith('.')) {
      if (dependency.startsWith('-'))
        throw new BuildError(`'${dependency}' in dependencies is not a package.`);
      wanted.push(dependency);
      continue;
    }
    const dir = path.resolve(configDir, dependency);
    const isInSource = dir === top || isInside(top, dir);
    const kind = isInSource ? await filesOnDisk.kind(dir) : undefined;
    if (kind === 'file')
      throw new BuildError(`In dependencies of langgraph.json, ${fileAsDependency(dependency)}`);
    if (kind === undefined) {
      throw new BuildError(`'${dependency}' in dependencies is not a folder in the source.`);
    }
    const { hasRequirements, isPackage } = await readPythonSources(filesOnDisk, dir);
    if (hasRequirements) wanted.push('-r', relativePath(configDir, path.join(dir, 'requirements.txt')));
    if (isPackage) wanted.push('-e', relativePath(configDir, dir));
  }
  return wanted;
}

/** A path relative to the folder of the command. Installers print the path in every line, so a short one is better. */
function relativePath(configDir: string, place: string): string {
  const relative = path.relative(configDir, place);
  if (relative === '') return '.';
  return relative.startsWith('..') ? relative : `.${path.sep}${relative}`;
}
