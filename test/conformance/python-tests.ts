import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { patience } from '../support/wait.ts';

const run = promisify(execFile);

/**
 * Runs tests that are written in Python, beside this file.
 * @param names of classes or tests; all when there are none.
 * @returns what unittest reports, which ends with OK when all have passed.
 */
export async function runPythonTests(
  python: string,
  script: string,
  env: NodeJS.ProcessEnv,
  names: readonly string[] = [],
): Promise<string> {
  const args = ['-W', 'ignore', path.join(import.meta.dirname, script), '-v', ...names];
  const options = { env: { ...process.env, ...env }, timeout: 150_000 * patience };
  const { stderr } = await run(python, args, options).catch((error: { stderr?: string }) => ({
    stderr: error.stderr ?? String(error),
  }));
  return stderr;
}
