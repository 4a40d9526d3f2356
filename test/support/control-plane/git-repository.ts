import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../temporary-folder.ts';

const run = promisify(execFile);

/** A bare repository, and a user's clone of it. */
export interface GitRepository extends AsyncDisposable {
  /** The bare repository's address, `file:///…`. */
  readonly url: string;
  readonly bareDir: string;
  readonly workDir: string;
  git(...args: string[]): Promise<string>;
  /** Writes files (`null` removes one), commits and pushes them. @returns the commit. */
  push(files: Readonly<Record<string, string | null>>, message?: string): Promise<string>;
}

/** `await using repository = await gitRepository()`. */
export async function gitRepository(): Promise<GitRepository> {
  const folder = await temporaryFolder();
  const bareDir = path.join(folder.path, 'bare.git');
  const workDir = path.join(folder.path, 'work');
  const git = async (...args: string[]) => {
    const { stdout } = await run('git', args, {
      cwd: workDir,
      maxBuffer: 1e8,
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: 'Somebody',
        GIT_AUTHOR_EMAIL: 'somebody@example.com',
        GIT_COMMITTER_NAME: 'Somebody',
        GIT_COMMITTER_EMAIL: 'somebody@example.com',
      },
    });
    return stdout.trim();
  };
  await mkdir(workDir);
  await git('init', '--quiet', '--bare', '--initial-branch=main', bareDir);
  await git('init', '--quiet', '--initial-branch=main', '.');
  await git('remote', 'add', 'origin', bareDir);
  return {
    url: pathToFileURL(bareDir).href,
    bareDir,
    workDir,
    git,
    push: async (files, message = 'Change') => {
      for (const [name, text] of Object.entries(files)) {
        const file = path.join(workDir, name);
        if (text === null) await rm(file, { force: true });
        else {
          await mkdir(path.dirname(file), { recursive: true });
          await writeFile(file, text);
        }
      }
      await git('add', '--all');
      await git('commit', '--quiet', '--allow-empty', '--message', message);
      await git('push', '--quiet', 'origin', 'HEAD');
      return git('rev-parse', 'HEAD');
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
