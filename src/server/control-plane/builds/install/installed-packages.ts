import { createHash } from 'node:crypto';
import { constants, copyFile, link, mkdir, readdir, readFile, readlink, symlink } from 'node:fs/promises';
import path from 'node:path';
import { findDecidingFiles } from '../../../../project/install/deciding-files.ts';

/** How many entries of a folder are copied at once. */
const COPIES_AT_ONCE = 32;

/**
 * The key of an installation: a hash of the manifests, lockfiles, settings and patches that determine it, and of this
 * machine's system and processor.
 * @param also further values that the installation depends on.
 */
export async function installationKey(
  dir: string,
  also: readonly (string | null | undefined)[],
): Promise<string> {
  const hash = createHash('sha256');
  hash.update([process.platform, process.arch, ...also.map(String)].join('\0'));
  for (const file of (await findDecidingFiles(dir)).sort()) {
    hash.update(`\0${path.relative(dir, file)}\0`).update(await readFile(file));
  }
  return hash.digest('hex');
}

/** Finds the outermost `node_modules` folders in a source. @returns paths relative to the source. */
export async function findPackageFolders(dir: string): Promise<string[]> {
  const found: string[] = [];
  await look('');
  return found;

  async function look(relative: string): Promise<void> {
    for (const entry of await readdir(path.join(dir, relative), { withFileTypes: true })) {
      if (!entry.isDirectory() || entry.name === '.git' || entry.name === '.venv') continue;
      const folder = path.join(relative, entry.name);
      if (entry.name === 'node_modules') found.push(folder);
      else await look(folder);
    }
  }
}

/**
 * Copies installed packages to the same place in another source. Files become hard links if the file system
 * supports them, because a package's files are never changed in place.
 */
export async function clonePackages(from: string, to: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await mkdir(to, { recursive: true });
  const entries = await readdir(from, { withFileTypes: true });
  for (let start = 0; start < entries.length; start += COPIES_AT_ONCE) {
    await Promise.all(
      entries.slice(start, start + COPIES_AT_ONCE).map(async (entry) => {
        const source = path.join(from, entry.name);
        const target = path.join(to, entry.name);
        if (entry.isDirectory()) await clonePackages(source, target, signal);
        else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
        else if (entry.isFile()) await shareOrCopy(source, target);
      }),
    );
  }
}

/** A hard link if the file system can make one, otherwise a copy. */
async function shareOrCopy(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch {
    await copyFile(source, target, constants.COPYFILE_FICLONE);
  }
}
