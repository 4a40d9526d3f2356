import { randomUUID } from 'node:crypto';
import { mkdir, readlink, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import { exists } from '../../../process/exists.ts';
import { findOnPath } from '../../../process/find-on-path.ts';
import { ifReadable } from '../../../process/if-present.ts';
import { replace } from '../../../process/replace.ts';
import { listInterpreters } from './interpreters.ts';

/** Programs that builds start by name. */
const NAMES = ['node', 'npm', 'npx', 'corepack', 'pnpm', 'yarn', 'bun', 'uv', 'uvx'];

/** The programs of this machine that builds use, for a sandbox. */
interface MachinePrograms {
  /** The folder with a link to each program, for the PATH. */
  readonly links: string;
  /** Folders that the programs need to read. */
  readonly places: readonly string[];
  /** Finds, among the words of a command, paths of this machine's interpreters and of programs in a folder's `.venv`. */
  interpretersAmong(words: readonly string[], folder: string): Promise<string[]>;
}

/**
 * Finds the programs for builds, wherever they are installed.
 * @param searchPath the server's own PATH.
 * @param folder the folder in which a folder with links to them is kept.
 */
export async function findPrograms(searchPath: string | undefined, folder: string): Promise<MachinePrograms> {
  const links = path.join(folder, 'programs');
  await mkdir(links, { recursive: true });
  const places: string[] = [];
  for (const name of NAMES) {
    const file = await findOnPath(name, searchPath);
    const real = file === undefined ? undefined : await realpath(file);
    if (real === undefined) continue;
    await linkTo(real, path.join(links, name));
    if (!real.startsWith('/usr/')) places.push(await packageOf(real));
  }
  return {
    links,
    places,
    interpretersAmong: async (words, top) => {
      const known = await listInterpreters(searchPath);
      const found = await Promise.all(
        words.map(async (word) => {
          if (!path.isAbsolute(word) || !(await exists(word))) return [];
          return known.has(await realpath(word)) || word.startsWith(`${top}/.venv/`) ? [word] : [];
        }),
      );
      return found.flat();
    },
  };
}

/** The folder of the package that a JavaScript program belongs to; for any other program, its file. */
async function packageOf(real: string): Promise<string> {
  if (!/\.[cm]?js$/.test(real)) return real;
  for (let folder = path.dirname(real); path.dirname(folder) !== folder; folder = path.dirname(folder))
    if (
      path.basename(path.dirname(folder)) === 'node_modules' &&
      (await exists(path.join(folder, 'package.json')))
    )
      return folder;
  return real;
}

/** Creates or updates a link. Another build may do the same at the same time. */
async function linkTo(target: string, link: string): Promise<void> {
  if ((await ifReadable(readlink(link))) === target) return;
  const made = `${link}.${randomUUID()}`;
  await symlink(target, made);
  await replace(made, link);
}
