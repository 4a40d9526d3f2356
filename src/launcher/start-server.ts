import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { compileCacheDir } from './compile-cache.ts';
import { checkExecutable, type Executable, thisExecutable } from './executable.ts';
import { LaunchError, type LaunchProblem } from './launch-error.ts';
import { findServer, type RunningServer } from './running-server.ts';
import { lastWords, openServerLog, type ServerLog, serverLogPath } from './server-log.ts';

export interface StartOptions {
  /** Absolute path of the folder the server keeps everything in; made when it is new. */
  readonly dataDir: string;
  /** Absolute path of the server's bundle, `dist/server.js`. */
  readonly serverPath: string;
  readonly dispatcher: Dispatcher;
  /** What runs it; this very program unless said otherwise. */
  readonly executable?: Executable | undefined;
  /** The platform's port; any free one unless said otherwise. */
  readonly port?: number | undefined;
  /** How long it stays after its last client has gone; a minute unless said otherwise. */
  readonly graceSeconds?: number | undefined;
  /** How long it serves the workspaces of a client that has gone; the server's own half a minute unless said otherwise. */
  readonly holderGraceSeconds?: number | undefined;
  /** Variables it gets besides those of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const START_TIMEOUT_MS = 30_000;
/** Long enough for a window to reload. */
const GRACE_SECONDS = 60;
/** The server's exit codes (see its `main.ts`). */
const EXIT = { locked: 3, portTaken: 4, dataFolder: 5 } as const;
const PROBLEM_OF_EXIT: Readonly<Record<number, LaunchProblem>> = {
  [EXIT.portTaken]: 'port-taken',
  [EXIT.dataFolder]: 'data-folder',
};

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error?: Error;
}

/**
 * Starts the server of a data folder, detached, and greets it. When several start one at the same time, the lock lets
 * one of them live, and all of them find that one.
 * @throws LaunchError
 */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  if (options.executable === undefined) checkExecutable();
  const log = await openServerLog(options.dataDir);
  try {
    return await startAndGreet(options, log);
  } finally {
    await log.close();
  }
}

async function startAndGreet(options: StartOptions, log: ServerLog): Promise<RunningServer> {
  const { signal, timeoutMs = START_TIMEOUT_MS } = options;
  const began = performance.now();
  let server = spawnServer(options, log);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const ending = server.ending();
      const found = await findServer({ ...options, evenUnseen: ending?.code === EXIT.locked });
      if (found !== undefined) return found;
      if (ending !== undefined) {
        // Somebody else's server has the lock: it is still starting, or ending, and then the next one is ours.
        if (ending.code !== EXIT.locked) throw await death(options, ending, log);
        await pause(200, signal);
      }
      const elapsed = performance.now() - began;
      if (elapsed > timeoutMs) throw await tooLate(options, timeoutMs, log);
      if (ending !== undefined && (await findServer(options)) === undefined)
        server = spawnServer(options, log);
      await pause(elapsed < 1_000 ? 15 : 100, signal);
    }
  } catch (error) {
    // Nobody greets it any more: it must not keep the lock.
    server.end();
    throw error;
  }
}

interface Spawned {
  ending(): Ending | undefined;
  end(): void;
}

function spawnServer(options: StartOptions, log: ServerLog): Spawned {
  const { command, environment } = options.executable ?? thisExecutable();
  const child = spawn(command, serverArguments(options), {
    // Not the caller's folder, which Windows could then neither move nor delete.
    cwd: options.dataDir,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
    env: {
      NODE_COMPILE_CACHE: compileCacheDir(),
      ...inheritedEnvironment(),
      ...environment,
      ...options.environment,
    },
  });
  child.unref();
  return { ending: endingOf(child), end: () => void child.kill() };
}

function serverArguments(options: StartOptions): string[] {
  const { serverPath, dataDir, port, graceSeconds, holderGraceSeconds } = options;
  return [
    serverPath,
    ...['--data-dir', dataDir],
    ...['--grace-seconds', String(graceSeconds ?? GRACE_SECONDS)],
    ...(holderGraceSeconds === undefined ? [] : ['--holder-grace-seconds', String(holderGraceSeconds)]),
    ...(port === undefined ? [] : ['--port', String(port)]),
  ];
}

/** The environment, less what would make a debugger attach to a process nobody means to debug. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  const { VSCODE_INSPECTOR_OPTIONS: _, ELECTRON_RUN_AS_NODE: __, ...environment } = process.env;
  return environment;
}

function endingOf(child: ChildProcess): () => Ending | undefined {
  let ending: Ending | undefined;
  child.once('exit', (code, signal) => {
    ending ??= { code, signal };
  });
  child.once('error', (error) => {
    ending ??= { code: null, signal: null, error };
  });
  return () => ending;
}

async function death(options: StartOptions, ending: Ending, log: ServerLog): Promise<LaunchError> {
  if (ending.error !== undefined) {
    const { command } = options.executable ?? thisExecutable();
    return new LaunchError('executable', `Cannot run ${command}: ${ending.error.message}`, {
      cause: ending.error,
    });
  }
  const logTail = await log.tail();
  const words = lastWords(logTail);
  const problem = PROBLEM_OF_EXIT[ending.code ?? 0];
  // The server's own sentence says it all.
  if (problem !== undefined && words !== undefined) return new LaunchError(problem, words, { logTail });
  const how = ending.signal === null ? `exit code ${ending.code}` : `signal ${ending.signal}`;
  const why = words === undefined ? '' : `: ${words}`;
  return new LaunchError(
    'died',
    `Agent Harbor's server ended while starting (${how})${why}`.replace(/\.?$/, '.'),
    { logTail },
  );
}

async function tooLate(options: StartOptions, timeoutMs: number, log: ServerLog): Promise<LaunchError> {
  const logTail = await log.tail();
  const words = lastWords(logTail);
  return new LaunchError(
    'timeout',
    `Agent Harbor's server did not answer within ${timeoutMs / 1_000} s; ` +
      (words === undefined
        ? `its log ${serverLogPath(options.dataDir)} says nothing.`
        : `the last line of its log says: ${words}`),
    { logTail },
  );
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal });
}
