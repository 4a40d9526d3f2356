import { mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ifReadable } from '../process/if-present.ts';
import { isGitMissing, isOutsideRepository, runGit } from './run-git.ts';
import { TOOL_OUTPUT } from './tool-output.ts';

/** Patterns of files that are never deployed from a folder outside a repository. */
const EXCLUDED_PATTERNS = [...TOOL_OUTPUT, '.env', '.env.*'];

/**
 * Checks that git can list the files of a folder, which determines what is deployed.
 * @throws Error without git, or when git refuses the folder.
 */
export async function requireGit(top: string): Promise<void> {
  await runGit(top, ['rev-parse', '--show-toplevel']).catch((error: unknown) => {
    if (isGitMissing(error))
      throw new Error(`git was not found. Install it to deploy ${top}: it says which files to leave out.`);
    if (!isOutsideRepository(error)) throw error;
  });
}

/**
 * Lists the files below a folder that git does not ignore. Outside a repository, git uses the ignore files of
 * the folder, and env files and installed packages are left out.
 * @throws Error without git, which is needed to know which files belong to the folder.
 */
export async function listSourceFiles(top: string): Promise<string[]> {
  const output = await runGit(top, ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
    .catch((error: unknown) => {
      if (isOutsideRepository(error)) return listOutside(top);
      throw error;
    })
    .catch((error: unknown) => {
      throw new Error(`Could not list the files of ${top} with git: ${String(error)}`);
    });
  return [...new Set(output.split('\0'))].filter((file) => file !== '' && !file.endsWith('/')).sort();
}

/** Lists files with an empty repository elsewhere, so that git reads the ignore files of the folder. */
async function listOutside(top: string): Promise<string> {
  const empty = await mkdtemp(join(tmpdir(), 'agent-harbor-git-'));
  try {
    await runGit(empty, ['init', '--quiet', '--bare', '--template=', '.']);
    return await runGit(top, [
      ...['--git-dir', empty, '--work-tree', '.', 'ls-files', '-z', '--others', '--exclude-standard'],
      ...EXCLUDED_PATTERNS.map((pattern) => `--exclude=${pattern}`),
      '--exclude=!.env.example',
    ]);
  } finally {
    await rm(empty, { recursive: true, force: true });
  }
}

/** Finds the symbolic links below a folder that point outside of it. They are not deployed. */
export async function findLinksLeadingOut(top: string): Promise<string[]> {
  const found: string[] = [];
  // An error of git is reported when the sources are sent.
  for (const file of await listSourceFiles(top).catch(() => [])) {
    const target = await ifReadable(readlink(join(top, file)));
    if (target === undefined) continue;
    const below = relative(top, resolve(top, dirname(file), target));
    if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) found.push(file);
  }
  return found;
}
