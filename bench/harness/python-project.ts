import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { makeEnvironment } from '../../test/support/python-environments.ts';

const folder = path.resolve(import.meta.dirname, '../python');

/** The Python bench graphs in their own folder, with the environment that they run in as `.venv`. */
export function pythonProject(): Promise<string> {
  return installed('bench-python', path.join(folder, 'requirements.txt'));
}

/** The same with the peer's dev server in the environment. */
export function pythonPeerProject(): Promise<string> {
  return installed('bench-python-peer', path.join(folder, 'peer', 'requirements.txt'));
}

async function installed(name: string, requirements: string): Promise<string> {
  const project = await makeEnvironment(name, await readFile(requirements, 'utf8'), '.venv');
  await cp(path.join(folder, 'graphs'), project, { recursive: true });
  return project;
}
