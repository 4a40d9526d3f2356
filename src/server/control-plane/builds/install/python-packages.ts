import path from 'node:path';
import { BuildError } from '../build-error.ts';
import { exists, upwards } from './node-packages.ts';

/** One command of an installation. */
export interface Step {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

export interface PythonProject {
  readonly configDir: string;
  /** The top of the source, which nothing looks above. */
  readonly top: string;
  /** `dependencies` of langgraph.json: folders such as `.`, and packages. */
  readonly dependencies: readonly string[];
  readonly pythonVersion: string | undefined;
}

/**
 * The commands that make a Python project's own `.venv` beside its langgraph.json: from uv.lock when there is one, else
 * from what `dependencies` names.
 * @param hasUv whether uv is on this machine; pip does it otherwise.
 * @throws BuildError for a folder in `dependencies` that is not there.
 */
export async function pythonSteps(project: PythonProject, hasUv: boolean): Promise<Step[]> {
  const { configDir, top, pythonVersion } = project;
  const venv = path.join(configDir, '.venv');
  const locked = await firstWith(upwards(configDir, top), 'uv.lock');
  const python = pythonVersion === undefined ? [] : ['--python', pythonVersion];
  if (locked !== undefined && hasUv) {
    return [{ command: 'uv', args: ['sync', '--frozen', ...python], cwd: locked }];
  }
  const wanted = await requirements(project);
  if (hasUv) {
    return [
      { command: 'uv', args: ['venv', ...python, venv], cwd: configDir },
      ...(wanted.length === 0
        ? []
        : [{ command: 'uv', args: ['pip', 'install', '--python', venv, ...wanted], cwd: configDir }]),
    ];
  }
  const windows = process.platform === 'win32';
  const bin = path.join(venv, windows ? 'Scripts' : 'bin', windows ? 'python.exe' : 'python');
  const interpreter = windows ? 'python' : pythonVersion === undefined ? 'python3' : `python${pythonVersion}`;
  return [
    { command: interpreter, args: ['-m', 'venv', venv], cwd: configDir },
    ...(wanted.length === 0
      ? []
      : [
          {
            command: bin,
            args: ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', ...wanted],
            cwd: configDir,
          },
        ]),
  ];
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

async function firstWith(dirs: readonly string[], file: string): Promise<string | undefined> {
  for (const dir of dirs) if (await exists(path.join(dir, file))) return dir;
  return undefined;
}
