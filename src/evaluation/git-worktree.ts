import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ifPresent } from '../process/if-present.ts';
import { linkOrCopy } from '../process/link-or-copy.ts';
import { removeFolder } from '../process/remove-folder.ts';
import { EVALUATORS_FOLDER } from './find-evaluations.ts';

const run = promisify(execFile);

/** Installed packages and secrets, which are not in the repository. */
const LINKED = ['node_modules', '.venv', 'venv', '.env'] as const;

/** A commit that is checked out in a temporary folder, until it is disposed of. */
export interface Worktree extends AsyncDisposable {
  /** The path of the langgraph.json in the folder. */
  readonly config: string;
}

/** The commit that a branch, tag or hash points to; undefined if git does not know it, or there is no repository. */
export async function resolveCommit(folder: string, ref: string): Promise<string | undefined> {
  return git(folder, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]).then(
    (text) => text.trim() || undefined,
    () => undefined,
  );
}

/**
 * Checks out a commit in a temporary folder; the working tree stays unchanged. Installed packages and `.env`
 * are linked, and the evaluators are copied from the working tree.
 * @param config the real path of a langgraph.json in the repository
 * @throws the error of git
 */
export async function checkOut(config: string, commit: string): Promise<Worktree> {
  const folder = path.dirname(config);
  const top = (await git(folder, ['rev-parse', '--show-toplevel'])).trim();
  const prefix = (await git(folder, ['rev-parse', '--show-prefix'])).trim();
  const parent = await mkdtemp(path.join(tmpdir(), 'agent-harbor-baseline-'));
  const target = path.join(parent, 'worktree');
  const dispose = async () => {
    // If this fails, git removes the worktree from its list later, because the folder is gone.
    await git(top, ['worktree', 'remove', '--force', target]).catch(() => {});
    await removeFolder(parent);
  };
  try {
    await git(top, ['worktree', 'add', '--detach', target, commit]);
    for (const below of new Set(['', prefix]))
      await linkInto(path.join(top, below), path.join(target, below));
    // The same evaluators judge both versions of the code, including evaluators that the commit does not have.
    const ours = path.join(folder, EVALUATORS_FOLDER);
    const theirs = path.join(target, prefix, EVALUATORS_FOLDER);
    if (existsSync(ours)) {
      await rm(theirs, { recursive: true, force: true });
      await cp(ours, theirs, { recursive: true });
    }
    return { config: path.join(target, prefix, path.basename(config)), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Links the packages and secrets of a folder into another one. */
async function linkInto(from: string, to: string): Promise<void> {
  for (const name of LINKED) {
    const source = await ifPresent(stat(path.join(from, name)));
    if (source === undefined) continue;
    // Junctions need no special rights on Windows. Files that git has checked out are not replaced.
    const [target, link] = [path.join(from, name), path.join(to, name)];
    const made = source.isDirectory()
      ? symlink(target, link, 'junction')
      : linkOrCopy({ target, source: target, to: link });
    // If packages are missing, loading the graphs reports them. Without .env, the graphs lack its variables.
    await made.catch(() => {});
  }
}

async function git(cwd: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', ['-c', 'core.fsmonitor=false', '-c', 'core.longpaths=true', ...args], {
    cwd,
    windowsHide: true,
    env: { ...process.env, LC_ALL: 'C' },
  });
  return stdout;
}
