import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const GitFailure = z.object({
  code: z.union([z.string(), z.number()]).optional(),
  stderr: z.string().optional(),
});
const MAX_OUTPUT_BYTES = 64 * 1_048_576;

/**
 * Runs git in a folder, without waiting for locks.
 * @returns what git prints
 * @throws the error of `execFile` when git is missing, fails, or prints more than 64 MB
 */
export async function runGit(cwd: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', ['-c', 'core.fsmonitor=false', ...args], {
    cwd,
    maxBuffer: MAX_OUTPUT_BYTES,
    windowsHide: true,
    env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
  });
  return stdout;
}

/** Whether git could not be run, because it is not installed. */
export function isGitMissing(error: unknown): boolean {
  return GitFailure.catch({}).parse(error).code === 'ENOENT';
}

/** Whether git failed because the folder is not in a repository. */
export function isOutsideRepository(error: unknown): boolean {
  return GitFailure.catch({}).parse(error).stderr?.includes('not a git repository') === true;
}
