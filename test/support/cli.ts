import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { distFolder } from './dist.ts';
import { eventually } from './wait.ts';

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The text of standard input. */
  readonly input?: string;
  readonly uid?: number;
  /** How many files it, and what it starts, may have open at once. */
  readonly maxOpenFiles?: number;
  /** Replaces the Node that runs the tests. */
  readonly node?: string;
  /** The folder of another build. */
  readonly dist?: string | undefined;
}

/** The command, started as users start it. */
export interface RunningCli extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly stdout: string;
  readonly stderr: string;
  /** Waits for text in its standard output. @param timeoutMs the time limit */
  said(what: string | RegExp, timeoutMs?: number): Promise<string>;
  ended(): Promise<CliResult>;
  /** Ctrl-C. */
  interrupt(): Promise<CliResult>;
}

export function startCli(args: readonly string[], options: CliOptions = {}): RunningCli {
  const limited =
    options.maxOpenFiles === undefined
      ? []
      : ['sh', '-c', `ulimit -n ${options.maxOpenFiles} && exec "$0" "$@"`];
  const bundle = path.join(options.dist ?? distFolder, 'cli.js');
  const command = [...limited, options.node ?? process.execPath, bundle, ...args];
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd: options.cwd,
    env: { ...process.env, NO_COLOR: '1', ...options.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.uid === undefined ? {} : { uid: options.uid }),
  });
  // A command that ends before it has read its input breaks the pipe; its result contains the reason.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const closed = once(child, 'close').then(([code]): CliResult => ({ code, ...output }));
  const running: RunningCli = {
    child,
    get stdout() {
      return output.stdout;
    },
    get stderr() {
      return output.stderr;
    },
    async said(what, timeoutMs = 30_000) {
      const { stdout } = await eventually(
        `${args.join(' ')} says ${what}`,
        () => ({ ...output }),
        ({ stdout: text }) => (typeof what === 'string' ? text.includes(what) : what.test(text)),
        timeoutMs,
      );
      return stdout;
    },
    ended: () => closed,
    interrupt() {
      child.kill('SIGINT');
      return closed;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await closed;
    },
  };
  return running;
}

/** Runs the command to its end. */
export async function cli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  await using running = startCli(args, options);
  return await running.ended();
}
