import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { checkExecutable, thisExecutable } from '../../launcher/executable.ts';
import { HANDED_OVER_BY_LINE, secretsLine } from '../../process/secret-handover.ts';
import type { ProgramOptions } from '../terminal/context.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { endWith, Failure } from '../terminal/failure.ts';

interface AttachedServer {
  readonly args: readonly string[];
  /** Variables that every process of this machine's user may see. */
  readonly environment: NodeJS.ProcessEnv;
  /** Variables that only the server gets, through a pipe. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Sentences that say what to do when another program has killed the server. */
  readonly whenKilled: string;
}

/**
 * Runs the server's program as a child process that shares the command's output and ends with the command. The command
 * ends with the exit code of the server.
 * @throws Failure when the server was killed, which it cannot report itself; Ended for an exit code other than 0
 */
export async function runServer(
  { serverPath, interrupted }: Pick<ProgramOptions, 'serverPath' | 'interrupted'>,
  { args, environment, secrets, whenKilled }: AttachedServer,
): Promise<void> {
  checkExecutable();
  const executable = thisExecutable();
  const server = spawn(
    executable.command,
    ['--disable-warning=ExperimentalWarning', serverPath, ...argumentsOn(process.platform, args)],
    // The pipe carries the server's secrets. With --until-stdin-ends, the server ends when the pipe closes, also if this
    // command is killed.
    {
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { ...environment, ...executable.environment, ...HANDED_OVER_BY_LINE },
    },
  );
  // A server that did not start, or has ended, reads no input.
  server.stdin.on('error', () => {});
  server.stdin.write(secretsLine(secrets));
  const stop = () => askToEnd(server, process.platform);
  interrupted.addEventListener('abort', stop, { once: true });
  if (interrupted.aborted) stop();
  const [code, signal] = (await once(server, 'close')) as [number | null, NodeJS.Signals | null];
  // A server that was not killed has printed its reason.
  if (signal !== null && !interrupted.aborted)
    throw new Failure(`${causeOf(signal, server.pid)} ${whenKilled}`);
  endWith(code ?? EXIT.failed);
}

/**
 * The server's arguments. On Windows, the end of its input stops the server, because a signal would kill it
 * at once.
 */
export function argumentsOn(platform: NodeJS.Platform, args: readonly string[]): readonly string[] {
  const flag = '--until-stdin-ends';
  return platform !== 'win32' || args.includes(flag) ? args : [...args, flag];
}

/** Asks a server to finish its work and end. */
export function askToEnd(server: ChildProcess, platform: NodeJS.Platform): void {
  if (platform === 'win32') server.stdin?.end();
  else server.kill('SIGTERM');
}

function causeOf(signal: NodeJS.Signals, pid: number | undefined): string {
  const ended = `The server (process ${pid}) was ended by ${signal}`;
  return signal === 'SIGKILL'
    ? `${ended}: by another program, or by the system because memory ran out. Its log is above. Check the system's log to see whether memory ran out.`
    : `${ended}: by another program, or because it crashed. Its log is above.`;
}
