import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../failure.ts';

const run = promisify(execFile);
const MAX_OUTPUT = 64 * 1_048_576;

/** What git knows of the folder that is deployed. */
export interface GitState {
  /** The top of the repository, or the config's own folder outside of one. */
  readonly top: string;
  /** The config below it, with slashes. */
  readonly configPath: string;
  readonly commit: string | undefined;
  /** Files that differ from the commit, or are new. */
  readonly changed: number;
}

/** @param config real path of a langgraph.json. */
export async function readGitState(config: string): Promise<GitState> {
  const dir = dirname(config);
  const top = await git(dir, ['rev-parse', '--show-toplevel']).then(
    (line) => realpath(line.trim()),
    () => dir,
  );
  const commit = await git(dir, ['rev-parse', '--verify', '--quiet', 'HEAD']).catch(() => '');
  const status = await git(top, ['status', '--porcelain', '--untracked-files=normal']).catch(() => '');
  return {
    top,
    configPath: relative(top, config).split(sep).join('/'),
    commit: commit.trim() === '' ? undefined : commit.trim(),
    changed: status.split('\n').filter((line) => line !== '').length,
  };
}

/**
 * The files that git does not ignore, below a folder.
 * @throws Failure without git: nothing else knows which files are meant.
 */
export async function sourceFiles(top: string): Promise<string[]> {
  const output = await git(top, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']).catch(
    (error: unknown) => {
      throw new Failure(
        `${top} cannot be uploaded: git tells which files belong to it, and it says: ${String(error)}`,
      );
    },
  );
  return [...new Set(output.split('\0'))].filter((file) => file !== '' && !file.endsWith('/')).sort();
}

async function git(cwd: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', ['-c', 'core.fsmonitor=false', ...args], {
    cwd,
    maxBuffer: MAX_OUTPUT,
    windowsHide: true,
    env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
  });
  return stdout;
}
