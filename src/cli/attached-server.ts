import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { checkExecutable, thisExecutable } from '../launcher/executable.ts';
import { HANDED_OVER_BY_LINE, handOverLine } from '../process/hand-over.ts';
import type { ProgramOptions } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { Failure } from './failure.ts';

export interface AttachedServer {
  readonly args: readonly string[];
  /** What everyone of this machine's user may know. */
  readonly environment: NodeJS.ProcessEnv;
  /** Variables that only the server gets, through a pipe. */
  readonly secrets: Readonly<Record<string, string>>;
  /** What is to be done when another program has ended it, in sentences. */
  readonly whenKilled: string;
}

/**
 * Runs the server's program as part of a command: it prints where the command does, is told to end with it, and its exit
 * code is the command's.
 * @throws Failure when it was ended from outside, of which it cannot say anything itself.
 */
export async function runServer(
  { serverPath, interrupted }: Pick<ProgramOptions, 'serverPath' | 'interrupted'>,
  { args, environment, secrets, whenKilled }: AttachedServer,
): Promise<void> {
  checkExecutable();
  const executable = thisExecutable();
  const server = spawn(
    executable.command,
    ['--disable-warning=ExperimentalWarning', serverPath, ...args],
    // The pipe brings its secrets, and then tells it that this command was killed, if it asks for that.
    {
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { ...environment, ...executable.environment, ...HANDED_OVER_BY_LINE },
    },
  );
  // One that could not be started, or has ended, takes none.
  server.stdin.on('error', () => {});
  server.stdin.write(handOverLine(secrets));
  const stop = () => void server.kill('SIGTERM');
  interrupted.addEventListener('abort', stop, { once: true });
  if (interrupted.aborted) stop();
  const [code, signal] = (await once(server, 'close')) as [number | null, NodeJS.Signals | null];
  // One that ends by itself has said why.
  if (signal !== null && !interrupted.aborted)
    throw new Failure(`${causeOf(signal, server.pid)} ${whenKilled}`);
  process.exitCode = code ?? EXIT.failed;
}

function causeOf(signal: NodeJS.Signals, pid: number | undefined): string {
  const process = `The server (process ${pid}) was ended by ${signal}`;
  return signal === 'SIGKILL'
    ? `${process}: by another program, or by the system because memory was short. Its log is above; the system's log says whether it was the memory.`
    : `${process}: by another program, or because it failed in itself. Its log is above.`;
}
