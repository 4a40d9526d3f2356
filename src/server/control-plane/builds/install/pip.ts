import path from 'node:path';
import type { PythonInstall, PythonProject } from './python-packages.ts';

/** pip: what the project names, into an environment that Python's own `venv` makes. */
export function pipInstall(project: PythonProject, wanted: readonly string[], venv: string): PythonInstall {
  const { configDir, pythonVersion } = project;
  const windows = process.platform === 'win32';
  const interpreter = windows ? 'python' : pythonVersion === undefined ? 'python3' : `python${pythonVersion}`;
  const make = { command: interpreter, args: ['-m', 'venv', venv], cwd: configDir };
  const fill = {
    command: path.join(venv, windows ? 'Scripts' : 'bin', windows ? 'python.exe' : 'python'),
    args: ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', ...wanted],
    cwd: configDir,
  };
  return { venv, steps: wanted.length === 0 ? [make] : [make, fill] };
}
