import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { asSentence } from '../process/as-sentence.ts';
import { checkExecutable, thisExecutable } from './executable.ts';
import { failureInLog } from './failure-in-log.ts';
import type { HeadStart } from './head-start.ts';
import { LaunchError, type LaunchProblem } from './launch-error.ts';
import { findServer, type RunningServer } from './running-server.ts';
import { openServerLog, type ServerLog, serverLogPath } from './server-log.ts';
import { type Ending, type SpawnedServer, type SpawnOptions, spawnServer } from './spawn-server.ts';

export interface StartOptions extends SpawnOptions {
  readonly dispatcher: Dispatcher;
  /** A process that was already started. */
  readonly headStart?: HeadStart | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const START_TIMEOUT_MS = 30_000;
/** The pauses between two attempts to find the server, in the first second and later. */
const FIRST_POLLS_MS = 15;
const POLL_MS = 100;
/** The additional pause while another server has the lock. */
const LOCKED_PAUSE_MS = 200;
/** The server's exit codes (see its `main.ts`). */
const EXIT = { locked: 3, portTaken: 4, dataFolder: 5 } as const;
const PROBLEM_OF_EXIT: Readonly<Record<number, LaunchProblem>> = {
  [EXIT.portTaken]: 'port-taken',
  [EXIT.dataFolder]: 'data-folder',
};

/**
 * Starts the server of a data folder, detached, and waits until it answers. If several are started at the same time, one
 * gets the lock of the folder and the others end; all clients find that one.
 * @throws LaunchError; when aborted, the signal's reason or an AbortError.
 */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  if (options.executable === undefined) checkExecutable();
  const begun = options.headStart?.take();
  const log = begun?.log ?? (await openServerLog(options.dataDir));
  try {
    return await waitForServer(begun?.server ?? spawnServer(options, log), options, log);
  } finally {
    await log.close();
  }
}

async function waitForServer(
  begun: SpawnedServer,
  options: StartOptions,
  log: ServerLog,
): Promise<RunningServer> {
  const { signal, timeoutMs = START_TIMEOUT_MS } = options;
  const began = performance.now();
  let server = begun;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const ending = server.ending();
      const found = await findServer({ ...options, evenUnseen: ending?.code === EXIT.locked });
      if (found !== undefined) {
        server.endUnlessIs(found.pid);
        return found;
      }
      if (ending !== undefined) {
        if (ending.code !== EXIT.locked) throw await explainExit(options, ending, log);
        // `locked`: another server has the lock, and is starting or stopping. Once it has stopped, a new one
        // can start.
        await sleepUnlessAborted(LOCKED_PAUSE_MS, signal);
      }
      const elapsed = performance.now() - began;
      if (elapsed > timeoutMs) throw await explainTimeout(options, timeoutMs, log);
      if (ending !== undefined && (await findServer(options)) === undefined)
        server = spawnServer(options, log);
      await sleepUnlessAborted(elapsed < 1_000 ? FIRST_POLLS_MS : POLL_MS, signal);
    }
  } catch (error) {
    // Nobody waits for the process any longer, so it must not keep the lock.
    server.end();
    throw error;
  }
}

async function explainExit(options: StartOptions, ending: Ending, log: ServerLog): Promise<LaunchError> {
  if (ending.error !== undefined) {
    const { command } = options.executable ?? thisExecutable();
    return new LaunchError('executable', `Could not run ${command}: ${ending.error.message}`, {
      cause: ending.error,
    });
  }
  const logTail = await log.tail();
  const words = failureInLog(logTail);
  const problem = PROBLEM_OF_EXIT[ending.code ?? 0];
  // For these problems, the server's own message is enough.
  if (problem !== undefined && words !== undefined) return new LaunchError(problem, words, { logTail });
  const how = ending.signal === null ? `exit code ${ending.code}` : `signal ${ending.signal}`;
  const why = words === undefined ? '' : `: ${words}`;
  return new LaunchError('died', asSentence(`Agent Harbor's server stopped while starting (${how})${why}`), {
    logTail,
  });
}

async function explainTimeout(
  options: StartOptions,
  timeoutMs: number,
  log: ServerLog,
): Promise<LaunchError> {
  const logTail = await log.tail();
  const words = failureInLog(logTail);
  return new LaunchError(
    'timeout',
    `Agent Harbor's server did not answer within ${timeoutMs / 1_000} s. ` +
      (words === undefined
        ? `Its log ${serverLogPath(options.dataDir)} is empty.`
        : `Last line of its log: ${words}`),
    { logTail },
  );
}

/** @throws AbortError when aborted */
async function sleepUnlessAborted(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal });
}
