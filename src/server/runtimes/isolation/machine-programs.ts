import { access, constants, mkdir, readlink, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import { ifReadable } from '../../../process/if-present.ts';
import { replace } from '../../../process/replace.ts';
import { exists } from '../../../project/install/node-packages.ts';
import { listInterpreters } from './interpreters.ts';

/** Programs that builds start by name. */
const NAMES = ['node', 'npm', 'npx', 'corepack', 'pnpm', 'yarn', 'bun', 'uv', 'uvx'];

/** The programs of this machine that builds use, for a sandbox. */
export interface MachinePrograms {
  /** The folder with a link to each program, for the PATH. */
  readonly links: string;
  /** Folders that the programs need to read. */
  readonly places: readonly string[];
  /** The words that are interpreters on this machine, or links in a folder to one. */
  among(words: readonly string[], folder: string): Promise<string[]>;
}

/**
 * Finds the programs for builds, wherever they are installed.
 * @param searchPath the server's own PATH.
 * @param folder the folder in which their links are kept.
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
    among: async (words, top) => {
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

async function findOnPath(name: string, searchPath = ''): Promise<string | undefined> {
  for (const folder of searchPath.split(path.delimiter)) {
    const file = path.join(folder, name);
    const isProgram = access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder !== '' && (await isProgram)) return file;
  }
  return undefined;
}

/** The package that a JavaScript program belongs to; any other program is a single file. */
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

/** Creates a link, which another build may be creating at the same time. */
async function linkTo(target: string, link: string): Promise<void> {
  if ((await ifReadable(readlink(link))) === target) return;
  await symlink(target, `${link}.${process.pid}`);
  await replace(`${link}.${process.pid}`, link);
}
