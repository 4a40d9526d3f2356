/**
 * The program of a separate process that runs one build command. It runs the command in a process group, and
 * stops the whole group if the server requests it or exits, so that no installation outlives its server.
 *
 * The guard receives one `Job` over its IPC channel, and answers with one `Outcome`. Any further message
 * stops the command, as does the end of the channel. The command writes to the guard's standard output and
 * error.
 */
import type { ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import spawn from 'cross-spawn';
import { z } from 'zod';
import type { Outcome } from '../../../process/guard.ts';

const Job = z.object({
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  /** Whether the command reads the guard's standard input. */
  readsInput: z.boolean().optional(),
  /** Arguments of the same program that end what it has started elsewhere, such as a container. */
  cleanup: z.array(z.string()).optional(),
});
type Job = z.output<typeof Job>;

/** How long a command may take to end before it is killed. */
const KILL_AFTER_MS = 2_000;
/**
 * How long a command with a cleanup may take to end: if the command were killed early, a container could
 * start after the cleanup.
 */
const KILL_AFTER_CLEANUP_MS = 30_000;
const CLEAN_UP_AGAIN_MS = 500;
const windows = process.platform === 'win32';

process.once('message', (message) => {
  const job = Job.parse(message);
  const child = spawn(job.command, job.args, {
    cwd: job.cwd,
    env: job.env,
    stdio: [job.readsInput === true ? 'inherit' : 'ignore', 'inherit', 'inherit'],
    // The command gets its own process group, so that its child processes can be stopped with it.
    detached: !windows,
    windowsHide: true,
  });
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    if (job.cleanup === undefined) signalGroup(child, 'SIGTERM');
    else cleanUpUntilGone(job, child);
    const killAfterMs = job.cleanup === undefined ? KILL_AFTER_MS : KILL_AFTER_CLEANUP_MS;
    setTimeout(() => signalGroup(child, 'SIGKILL'), killAfterMs);
  };
  process.once('disconnect', stop);
  process.on('message', stop);
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, stop);
  child.once('error', (error) => finish({ error: error.message }));
  child.once('exit', (code, signal) => {
    // The command may have left background processes.
    signalGroup(child, 'SIGKILL');
    // A command that was stopped may have left a container.
    if (job.cleanup !== undefined && (signal !== null || isStopping))
      cleanUp(job, () => finish({ code, signal }));
    else finish({ code, signal });
  });
});

/** Runs the cleanup of a job. Its failure is ignored: usually, there was nothing left to clean up. */
function cleanUp({ command, cleanup = [], cwd, env }: Job, done = () => {}): void {
  execFile(command, cleanup, { cwd, env, windowsHide: true }, done);
}

/** Cleans up more than once, because a process that the command has started may not exist yet. */
function cleanUpUntilGone(job: Job, child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  cleanUp(job, () => setTimeout(() => cleanUpUntilGone(job, child), CLEAN_UP_AGAIN_MS));
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (windows) {
    execFile('taskkill', ['/PID', String(child.pid), '/T', '/F'], () => {});
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // There are no processes left in the group.
  }
}

function finish(outcome: Outcome): void {
  if (process.connected && process.send !== undefined) process.send(outcome, () => process.exit());
  else process.exit();
}
