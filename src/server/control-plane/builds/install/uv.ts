import type { PythonInstall, PythonProject } from './python-packages.ts';

/** uv: from uv.lock when there is one, else what the project names, into an environment that it makes. */
export function uvInstall(project: PythonProject, wanted: readonly string[], venv: string): PythonInstall {
  const { configDir, locked, pythonVersion } = project;
  const python = pythonVersion === undefined ? [] : ['--python', pythonVersion];
  if (locked !== undefined) {
    const env = { UV_PROJECT_ENVIRONMENT: venv };
    return { venv, steps: [{ command: 'uv', args: ['sync', '--frozen', ...python], cwd: locked, env }] };
  }
  const make = { command: 'uv', args: ['venv', ...python, venv], cwd: configDir };
  const fill = { command: 'uv', args: ['pip', 'install', '--python', venv, ...wanted], cwd: configDir };
  return { venv, steps: wanted.length === 0 ? [make] : [make, fill] };
}
