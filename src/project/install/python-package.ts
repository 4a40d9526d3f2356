import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { exists } from './node-packages.ts';

/** Whether a folder's `pyproject.toml` or `setup.py` is a package's, rather than settings of tools alone. */
export async function isPythonPackage(dir: string): Promise<boolean> {
  if (await exists(path.join(dir, 'setup.py'))) return true;
  const text = await readFile(path.join(dir, 'pyproject.toml'), 'utf8').catch(() => '');
  return /^\s*\[(?:project|tool\.poetry)\]/m.test(text);
}
