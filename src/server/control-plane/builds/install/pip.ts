import path from 'node:path';
import type { PythonInstall, PythonProject } from './python-install.ts';

/**
 * The commands that create a virtual environment with Python's own `venv`, and install packages into it with pip.
 * @param wanted arguments of `pip install`; without any, nothing is installed
 * @param venv absolute path of the new environment
 * @param interpreter absolute path of the Python that creates the environment
 */
export function pipInstall(
  { configDir }: PythonProject,
  { wanted, venv, interpreter }: { wanted: readonly string[]; venv: string; interpreter: string },
): PythonInstall {
  const windows = process.platform === 'win32';
  const make = { command: interpreter, args: ['-m', 'venv', venv], cwd: configDir };
  const fill = {
    command: path.join(venv, windows ? 'Scripts' : 'bin', windows ? 'python.exe' : 'python'),
    args: [
      '-m',
      'pip',
      'install',
      '--disable-pip-version-check',
      '--no-input',
      '--progress-bar=off',
      ...wanted,
    ],
    cwd: configDir,
  };
  return { venv, steps: wanted.length === 0 ? [make] : [make, fill] };
}
