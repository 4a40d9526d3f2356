import { OLDEST_PYTHON } from '../../../runtimes/python/python-executable.ts';
import type { PythonInstall, PythonProject } from './python-install.ts';

/**
 * uv: from uv.lock when there is one, else what the project names, into an environment that it makes.
 * @param interpreter absolute path of a Python that does for the project; uv looks for one otherwise, and fetches one
 *   that is missing. It does not know those of pyenv.
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
