import path from 'node:path';
import type { ProjectFiles } from '../project-files.ts';

type Files = Pick<ProjectFiles, 'kind' | 'read'>;

/** The sources from which a Python folder is installed without a lockfile. */
interface PythonSources {
  readonly hasRequirements: boolean;
  /** Whether the folder is itself a package: its manifest has more than settings of tools. */
  readonly isPackage: boolean;
}

/**
 * Finds the sources of a Python folder, for builds, images, checks and hints alike. A folder can have both, because a
 * requirements.txt next to a manifest pins versions.
 */
export async function readPythonSources(files: Files, folder: string): Promise<PythonSources> {
  const [requirements, setup, manifest] = await Promise.all([
    files.kind(path.join(folder, 'requirements.txt')),
    files.kind(path.join(folder, 'setup.py')),
    files.read(path.join(folder, 'pyproject.toml')),
  ]);
  return {
    hasRequirements: requirements === 'file',
    isPackage: setup === 'file' || /^\s*\[(?:project|tool\.poetry)\]/m.test(manifest ?? ''),
  };
}

/** The arguments for pip and uv, run in the folder itself. A folder without requirements gets LangGraph. */
export function installedFrom({ hasRequirements, isPackage }: PythonSources): string[] {
  const words = [...(hasRequirements ? ['-r', 'requirements.txt'] : []), ...(isPackage ? ['-e', '.'] : [])];
  return words.length === 0 ? ['langgraph'] : words;
}

/** Whether uv created a virtual environment, which then usually has no pip. @param environment its folder. */
export async function isMadeByUv(files: Pick<ProjectFiles, 'read'>, environment: string): Promise<boolean> {
  return /^uv\s*=/m.test((await files.read(path.join(environment, 'pyvenv.cfg'))) ?? '');
}

/** The tool that wrote a lockfile, and the lockfile's folder. */
interface PythonLock {
  readonly tool: 'uv' | 'poetry';
  readonly dir: string;
}

/** The nearest lockfile; if a folder has two, uv's. @param folders innermost first. */
export async function findPythonLock(
  files: Pick<ProjectFiles, 'kind'>,
  folders: readonly string[],
): Promise<PythonLock | undefined> {
  for (const dir of folders)
    for (const tool of ['uv', 'poetry'] as const)
      if ((await files.kind(path.join(dir, `${tool}.lock`))) === 'file') return { tool, dir };
  return undefined;
}
