import { OLDEST_PYTHON } from '../../../runtimes/python/python-executable.ts';
import type { PythonInstall, PythonProject } from './python-install.ts';

/**
 * The commands that create a virtual environment with uv, and install packages into it: those of uv.lock if
 * there is one, otherwise `wanted`.
 * @param wanted arguments of `uv pip install`; without any, and without uv.lock, nothing is installed.
 * @param venv absolute path of the new environment.
 * @param interpreter absolute path of a Python that suits the project; if undefined, uv looks for one, and
 * downloads it if necessary. uv does not find pyenv's interpreters by itself.
 */
export function uvInstall(
  { configDir, locked, pythonVersion }: PythonProject,
  { wanted, venv, interpreter }: { wanted: readonly string[]; venv: string; interpreter: string | undefined },
): PythonInstall {
  if (locked !== undefined) {
    // By default uv uses the Python that pyproject.toml requires, and downloads it if needed.
    const python = pythonVersion === undefined ? [] : ['--python', interpreter ?? pythonVersion];
    const args = ['sync', '--frozen', '--no-dev', '--no-progress', ...python];
    return { venv, steps: [{ command: 'uv', args, cwd: locked, env: { UV_PROJECT_ENVIRONMENT: venv } }] };
  }
  const python = interpreter ?? pythonVersion ?? `>=${OLDEST_PYTHON}`;
  const make = { command: 'uv', args: ['venv', '--python', python, venv], cwd: configDir };
  const fill = {
    command: 'uv',
    args: ['pip', 'install', '--no-progress', '--python', venv, ...wanted],
    cwd: configDir,
  };
  return { venv, steps: wanted.length === 0 ? [make] : [make, fill] };
}
