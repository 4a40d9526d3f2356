import path from 'node:path';
import type { PythonInstall, PythonProject } from './python-install.ts';

/**
 * Installs the project's packages with pip, into an environment that Python's own `venv` creates.
 * @param interpreter absolute path of the Python that creates it.
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
