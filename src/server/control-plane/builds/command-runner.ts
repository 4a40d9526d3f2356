import { fork } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { guardOptions, type Outcome, waitForOutcome } from '../../../process/guard.ts';
import { settled } from '../../../process/settled.ts';

/** The maximum number of lines in `CommandError.tail` and `CommandError.errors`. */
const MAX_TAIL_LINES = 20;
const MAX_ERROR_LINES = 12;

/** Output of a command that a `CommandError` quotes. */
interface QuotedOutput {
  /** The last lines of the command's output. */
  readonly tail: readonly string[];
  /** The first lines that look like errors, because the cause is printed before its consequences. */
  readonly errors: readonly string[];
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** The name of the command in error messages, instead of the command line. */
  readonly title?: string;
  /** If the command is stopped, the same program is run with these arguments, for example to remove a container. */
  readonly cleanup?: readonly string[];
  readonly cwd: string;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** The time limit in milliseconds; none by default. */
  readonly timeoutMs?: number;
  /** Whether to return the command's output, true by default; false for a command that prints endlessly. */
  readonly keepsOutput?: boolean;
  readonly signal: AbortSignal;
  /** Called with each line of output. */
  onLine?(line: string, from: 'stdout' | 'stderr'): void;
}

/** A command failed; the message names it, and says how it ended. */
export class CommandError extends Error implements QuotedOutput {
  override readonly name = 'CommandError';
  readonly tail: readonly string[];
  readonly errors: readonly string[];
  /** Whether the program does not exist. */
  readonly missing: boolean;
  /** The exit code; undefined if the command never started or was ended. */
  readonly code: number | undefined;
  constructor(
    message: string,
    output: QuotedOutput,
    ending: { missing?: boolean; code?: number | undefined } = {},
  ) {
    super(message);
    this.tail = output.tail;
    this.errors = output.errors;
    this.missing = ending.missing ?? false;
    this.code = ending.code;
  }
}

/** Runs the commands of builds. */
export interface RunsCommands {
  /**
   * Runs a command to its end.
   * @returns what it printed on standard output.
   * @throws CommandError; the signal's reason when aborted.
   */
  run(job: Command): Promise<string>;
}

/**
 * Runs commands as the server's user, without a shell, each with a guard that ends it together with the server.
 */
export class CommandRunner implements RunsCommands {
  readonly #guard: string;

  /** @param guard the guard's program, `guard.ts` or its bundle. */
  constructor(guard: string) {
    this.#guard = guard;
  }

  async run(job: Command): Promise<string> {
    job.signal.throwIfAborted();
    const guard = fork(this.#guard, {
      ...guardOptions,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: guardEnvironment(),
      execArgv: [],
    });
    const outcome = waitForOutcome(guard);
    const printed: string[] = [];
    const tail: string[] = [];
    const errors: string[] = [];
    const read = [follow(guard.stdout, 'stdout'), follow(guard.stderr, 'stderr')];
    const stop = () => {
      if (guard.connected) guard.disconnect();
    };
    let timedOut = false;
    const stopLate = () => {
      timedOut = true;
      stop();
    };
    const timer = job.timeoutMs === undefined ? undefined : setTimeout(stopLate, job.timeoutMs);
    job.signal.addEventListener('abort', stop, { once: true });
    const { command, args, cwd, env, cleanup } = job;
    // If the guard has already ended, its outcome says why.
    guard.send({ command, args, cwd, env, cleanup }, () => {});
    try {
      const ended = await outcome;
      await Promise.all(read);
      job.signal.throwIfAborted();
      if (timedOut) {
        const limit = `${(job.timeoutMs ?? 0) / 1_000} s`;
        throw new CommandError(`${nameOf(job)} took longer than ${limit}.`, { tail, errors });
      }
      requireSuccess(job, ended, { tail, errors });
      return printed.join('\n');
    } finally {
      clearTimeout(timer);
      job.signal.removeEventListener('abort', stop);
    }

    function follow(stream: Readable | null, from: 'stdout' | 'stderr'): Promise<void> {
      if (stream === null) return Promise.resolve();
      createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
        if (from === 'stdout' && job.keepsOutput !== false) printed.push(line);
        tail.push(line);
        if (tail.length > MAX_TAIL_LINES) tail.shift();
        if (errors.length < MAX_ERROR_LINES && looksLikeError(line)) errors.push(line);
        job.onLine?.(line, from);
      });
      return settled(finished(stream));
    }
  }
}

/** Whether a line of output seems to report an error. */
export function looksLikeError(line: string): boolean {
  return /\berr(?:or)?\b/i.test(line);
}

/**
 * @throws CommandError for a command that could not be started, did not exit with 0, or was ended by a
 * signal.
 */
function requireSuccess(job: Command, ended: Outcome, output: QuotedOutput): void {
  if ('error' in ended) {
    const missing = /ENOENT/.test(ended.error);
    const message = missing ? `'${job.command}' is not installed on this machine.` : ended.error;
    throw new CommandError(message, output, { missing });
  }
  if (ended.code === 0) return;
  const how = ended.signal === null ? `exited with code ${ended.code}` : `was ended by ${ended.signal}`;
  throw new CommandError(`${nameOf(job)} ${how}.`, output, { code: ended.code ?? undefined });
}

/** The maximum length of a command in a sentence. */
const MAX_NAME_CHARS = 120;

/** A command as it is shown in messages. */
function nameOf({ command, args, title }: Pick<Command, 'command' | 'args' | 'title'>): string {
  const line = title ?? [path.basename(command), ...args].join(' ');
  return line.length > MAX_NAME_CHARS ? `${line.slice(0, MAX_NAME_CHARS)}…` : line;
}

/**
 * The environment of the guard. The guard runs on the same executable as the server, which may be an
 * editor's.
 */
function guardEnvironment(): NodeJS.ProcessEnv {
  const { PATH, Path, SystemRoot, HOME, TMPDIR, TEMP } = process.env;
  return {
    ...(process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' }),
    PATH,
    Path,
    SystemRoot,
    HOME,
    TMPDIR,
    TEMP,
  };
}
