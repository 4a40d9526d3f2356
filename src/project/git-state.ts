import { execFile } from 'node:child_process';
import { mkdtemp, readlink, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ifReadable } from '../process/if-present.ts';

const run = promisify(execFile);
const GitFailure = z.object({
  code: z.union([z.string(), z.number()]).optional(),
  stderr: z.string().optional(),
});
const MAX_OUTPUT_BYTES = 64 * 1_048_576;

/** The git state of the folder to deploy. */
export interface GitState {
  /** The root of the repository, or the config's folder outside a repository. */
  readonly top: string;
  /** The config's path relative to `top`, with slashes. */
  readonly configPath: string;
  readonly isRepository: boolean;
  /** The folder of the repository, shared by its worktrees; undefined outside a repository. */
  readonly repository: string | undefined;
  readonly commit: string | undefined;
  /** Files that differ from the commit, or are new. */
  readonly changed: number;
  /** Undefined when no branch is checked out. */
  readonly branch: string | undefined;
  /** Commits that the branch's upstream does not have; `undefined` without an upstream. */
  readonly unpushed: number | undefined;
  /** The URL of the branch's remote, else of `origin`. */
  readonly remoteUrl: string | undefined;
}

/** Reads the git state of a project, also outside a repository or without git. @param config real path of a langgraph.json */
export async function readGitState(config: string): Promise<GitState> {
  const dir = dirname(config);
  const root = await runGit(dir, ['rev-parse', '--show-toplevel']).then(
    (line) => realpath(line.trim()),
    () => undefined,
  );
  const top = root ?? dir;
  // There is no HEAD before the first commit.
  const commit = await runGit(dir, ['rev-parse', '--verify', '--quiet', 'HEAD']).catch(() => '');
  const tryGit = (...args: string[]) =>
    runGit(dir, args).then(
      (text) => text.trim() || undefined,
      () => undefined,
    );
  const branch = await tryGit('symbolic-ref', '--quiet', '--short', 'HEAD');
  const ahead = await tryGit('rev-list', '--count', '@{upstream}..HEAD');
  const remote = (branch && (await tryGit('config', `branch.${branch}.remote`))) ?? 'origin';
  const common = await tryGit('rev-parse', '--path-format=absolute', '--git-common-dir').then((found) =>
    found === undefined ? undefined : realpath(found),
  );
  // If git fails, files count as unchanged.
  const status = await runGit(top, ['status', '--porcelain', '--untracked-files=normal']).catch(() => '');
  return {
    top,
    configPath: relative(top, config).split(sep).join('/'),
    isRepository: root !== undefined,
    repository: common === undefined ? undefined : common.replace(/[\\/]\.git$/, ''),
    commit: commit.trim() === '' ? undefined : commit.trim(),
    changed: status.split('\n').filter((line) => line !== '').length,
    branch,
    unpushed: ahead === undefined ? undefined : Number(ahead),
    remoteUrl: await tryGit('remote', 'get-url', remote),
  };
}

/**
 * Checks that git can list the files of a folder, which determines what is deployed.
 * @throws Error without git, or when git refuses the folder.
 */
export async function requireGit(top: string): Promise<void> {
  await runGit(top, ['rev-parse', '--show-toplevel']).catch((error: unknown) => {
    const { code } = GitFailure.catch({}).parse(error);
    if (code === 'ENOENT')
      throw new Error(`git was not found. Install it to deploy ${top}: it says which files to leave out.`);
    if (!isOutside(error)) throw error;
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
      if (isOutside(error)) return listOutside(top);
      throw error;
    })
    .catch((error: unknown) => {
      throw new Error(`Could not list the files of ${top} with git: ${String(error)}`);
    });
  return [...new Set(output.split('\0'))].filter((file) => file !== '' && !file.endsWith('/')).sort();
}

/** Patterns of files that are never deployed from a folder outside a repository. */
const EXCLUDED_PATTERNS = [
  'node_modules/',
  '.venv/',
  'venv/',
  '__pycache__/',
  '.langgraph_api/',
  '.env',
  '.env.*',
];

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

/** Initializes a repository in a folder, unless the folder is in one or git is missing. */
export async function beginRepository(folder: string): Promise<void> {
  const isInside = await runGit(folder, ['rev-parse', '--show-toplevel']).then(
    () => true,
    () => false,
  );
  // Without git, the folder does not become a repository.
  if (!isInside) await runGit(folder, ['init', '--quiet']).catch(() => {});
}

function isOutside(error: unknown): boolean {
  return GitFailure.catch({}).parse(error).stderr?.includes('not a git repository') === true;
}

/** Finds the symbolic links below a folder that point outside of it. They are not deployed. */
export async function findLinksLeadingOut(top: string): Promise<string[]> {
  const leading: string[] = [];
  // An error of git is reported when the sources are sent.
  for (const file of await listSourceFiles(top).catch(() => [])) {
    const target = await ifReadable(readlink(join(top, file)));
    if (target === undefined) continue;
    const below = relative(top, resolve(top, dirname(file), target));
    if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) leading.push(file);
  }
  return leading;
}

async function runGit(cwd: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', ['-c', 'core.fsmonitor=false', ...args], {
    cwd,
    maxBuffer: MAX_OUTPUT_BYTES,
    windowsHide: true,
    env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
  });
  return stdout;
}

/** The branches and tags of a repository, newest first. */
export async function listGitRefs(
  top: string,
): Promise<{ readonly name: string; readonly isTag: boolean }[]> {
  const format = '--format=%(refname)';
  const lines = await runGit(top, ['for-each-ref', '--sort=-creatordate', format, 'refs/heads', 'refs/tags']);
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((ref) => ({
      name: ref.replace(/^refs\/(?:heads|tags)\//, ''),
      isTag: ref.startsWith('refs/tags/'),
    }));
}
