import { readdir } from 'node:fs/promises';
import path from 'node:path';

const DECIDING =
  /^(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock|bun\.lockb?|bunfig\.toml|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs|.*\.patch|.*\.tgz|pyproject\.toml|setup\.(?:py|cfg)|(?:uv|poetry|pdm)\.lock|(?:requirements|constraints).*\.txt|\.python-version|uv\.toml|.*\.whl)$/;

/** `requirements/base.txt`, which a requirements file of another name includes. */
const IN_FOLDER = /[\\/]requirements[\\/][^\\/]+\.(?:txt|in)$/;

/** Folders that contain packages. */
const HOLDS_PACKAGES = new Set(['node_modules', '.git', '.venv']);

/** Manifests, lockfiles and similar files of a source, without those of installed packages. */
export async function findDecidingFiles(dir: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const file = path.join(dir, entry.name);
    if (entry.isDirectory() && !HOLDS_PACKAGES.has(entry.name)) {
      found.push(...(await findDecidingFiles(file)));
    } else if (entry.isFile() && (DECIDING.test(entry.name) || IN_FOLDER.test(file))) found.push(file);
  }
  return found;
}
