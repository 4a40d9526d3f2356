import { realpath } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import { runGit } from './run-git.ts';

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

/**
 * Reads the git state of a project, also outside a repository or without git.
 * @param config the real path of a langgraph.json
 */
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
