import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a program to its end. @returns milliseconds from its start. */
export async function timed(command: string, args: readonly string[], cwd: string): Promise<number> {
  const began = performance.now();
  await promisify(execFile)(command, args, { cwd, maxBuffer: 1e8, env: { ...process.env, CI: 'true' } });
  return performance.now() - began;
}

/** Repeats an action. @returns all results. */
export async function times(count: number, measure: () => Promise<number>): Promise<number[]> {
  const found: number[] = [];
  for (let round = 0; round < count; round++) found.push(await measure());
  return found;
}

/** A bare Node process that only imports a module. */
export const importing = (module: string, cwd: string): Promise<number> =>
  timed(process.execPath, ['--input-type=module', '-e', `await import(${JSON.stringify(module)})`], cwd);
