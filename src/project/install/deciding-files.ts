import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** Names of files that determine which packages are installed. */
const DECIDING =
  /^(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock|bun\.lockb?|bunfig\.toml|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs|.*\.patch|.*\.tgz|pyproject\.toml|setup\.(?:py|cfg)|(?:uv|poetry|pdm)\.lock|(?:requirements|constraints).*\.txt|\.python-version|uv\.toml|.*\.whl)$/;

/** Files such as `requirements/base.txt`, which a requirements file may include. */
const IN_FOLDER = /[\\/]requirements[\\/][^\\/]+\.(?:txt|in)$/;

/** Folders that do not belong to the source itself. */
const SKIPPED_FOLDERS = new Set(['node_modules', '.git', '.venv']);

/**
 * Finds the files of a source that determine which packages are installed: manifests, lockfiles and similar
 * files.
 */
export async function findDecidingFiles(dir: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const file = path.join(dir, entry.name);
    if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) {
      found.push(...(await findDecidingFiles(file)));
    } else if (entry.isFile() && (DECIDING.test(entry.name) || IN_FOLDER.test(file))) found.push(file);
  }
  return found;
}
