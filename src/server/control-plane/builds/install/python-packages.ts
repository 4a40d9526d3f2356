import path from 'node:path';
import { BuildError } from '../build-error.ts';
import { exists, upwards } from './node-packages.ts';
import { pipInstall } from './pip.ts';
import type { Step } from './step.ts';
import { uvInstall } from './uv.ts';

export interface PythonProject {
  readonly configDir: string;
  /** The top of the source, which nothing looks above. */
  readonly top: string;
  /** `dependencies` of langgraph.json: folders such as `.`, and packages. */
  readonly dependencies: readonly string[];
  readonly pythonVersion: string | undefined;
  /** The folder of the nearest uv.lock. */
  readonly locked: string | undefined;
}

/** How a Python project's environment is made. */
export interface PythonInstall {
  /** Absolute path of the environment's folder, which graphs run in. */
  readonly venv: string;
  readonly steps: readonly Step[];
}

/** The folder of the uv.lock that is nearest to the config, from its folder up to the top of the source. */
export async function findUvLock(configDir: string, top: string): Promise<string | undefined> {
  for (const dir of upwards(configDir, top)) if (await exists(path.join(dir, 'uv.lock'))) return dir;
  return undefined;
}

/**
 * The commands that make a Python project's own `.venv` beside its langgraph.json: from uv.lock when there is one, else
 * from what `dependencies` names.
 * @param hasUv whether uv is on this machine; pip does it otherwise.
 * @throws BuildError for a folder in `dependencies` that is not there.
 */
export async function pythonInstall(project: PythonProject, hasUv: boolean): Promise<PythonInstall> {
  const venv = path.join(project.configDir, '.venv');
  if (project.locked !== undefined && hasUv) return uvInstall(project, [], venv);
  const wanted = await requirements(project);
  return hasUv
    ? uvInstall({ ...project, locked: undefined }, wanted, venv)
    : pipInstall(project, wanted, venv);
}

/** What pip and uv are told to install. */
async function requirements({ configDir, top, dependencies }: PythonProject): Promise<string[]> {
  const wanted: string[] = [];
  for (const dependency of dependencies) {
    if (!dependency.startsWith('.')) {
      if (dependency.startsWith('-')) throw new BuildError(`'${dependency}' in dependencies is no package.`);
      wanted.push(dependency);
      continue;
    }
    const dir = path.resolve(configDir, dependency);
    const inside = dir === top || dir.startsWith(top + path.sep);
    if (!inside || !(await exists(dir))) {
      throw new BuildError(`dependencies names '${dependency}', which is no folder of the source.`);
    }
    if ((await exists(path.join(dir, 'pyproject.toml'))) || (await exists(path.join(dir, 'setup.py')))) {
      wanted.push('-e', dir);
    } else if (await exists(path.join(dir, 'requirements.txt'))) {
      wanted.push('-r', path.join(dir, 'requirements.txt'));
    }
  }
  return wanted;
}
