import { type ChildProcess, fork } from 'node:child_process';
import { Duplex, type Readable, type Writable } from 'node:stream';
import type { ContainerTool } from '../../../containers/container-tool.ts';
import { removalOf } from '../../../containers/remove-containers.ts';
import { guardOptions, type Outcome, waitForOutcome } from '../../../process/guard.ts';
import { openFilesSentence } from '../../../process/open-files.ts';
import { levelOf } from '../output/output-level.ts';
import { BY_SIGNAL, type RuntimeChild } from '../process/runtime-child.ts';
import { RuntimeStartError } from '../process/runtime-errors.ts';

/** Shells and container tools report a signal as the exit code 128 plus its number. */
const FIRST_SIGNAL_CODE = 128;
const LAST_SIGNAL = 64;
const KILLED = FIRST_SIGNAL_CODE + 9;

/**
 * Starts a container that runs graphs. A guard process removes it when the server ends, even if the server is killed.
 * @throws RuntimeStartError when too many files are open for another process.
 */
export function startGuardedRuntime(
  guardProgram: string,
  tool: ContainerTool,
  {
    name,
    args,
    variables,
  }: { name: string; args: readonly string[]; variables: Readonly<Record<string, string>> },
): RuntimeChild {
  const guard = fork(guardProgram, {
    ...guardOptions,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    env: process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' },
    execArgv: [],
  });
  const [stdin, stdout, stderr] = streamsOf(guard);
  const exited = waitForOutcome(guard).then(endingOf);
  const job = {
    command: tool.program,
    args,
    cwd: '/',
    env: { ...tool.environment, ...variables },
    readsInput: true,
    cleanup: removalOf(tool, name),
  };
  // If the guard has already ended, its outcome says why.
  guard.send(job, () => {});
  return {
    pid: guard.pid,
    pipe: Duplex.from({ readable: stdout, writable: stdin }),
    outputs: [{ stream: stderr, level: levelOf }],
    exited,
    kill: () => {
      if (guard.connected) guard.disconnect();
    },
  };
}

/** How the container ended, as a clause. Codes above those of signals are a program's own. */
export function endingOf(outcome: Outcome): string {
  if ('error' in outcome) return `could not be started: ${outcome.error}`;
  const { code, signal } = outcome;
  if (code === KILLED) return `${BY_SIGNAL} SIGKILL, perhaps because it was out of memory (memory_limit_mb)`;
  if (code === null || (code > FIRST_SIGNAL_CODE && code <= FIRST_SIGNAL_CODE + LAST_SIGNAL))
    return `${BY_SIGNAL} ${signal ?? `signal ${(code ?? 0) - FIRST_SIGNAL_CODE}`}`;
  return `exited with code ${code}`;
}

function streamsOf(guard: ChildProcess): [Writable, Readable, Readable] {
  const { stdin, stdout, stderr } = guard;
  if (stdin && stdout && stderr) return [stdin, stdout, stderr];
  // The guard's own error is ignored; the one below replaces it.
  guard.once('error', () => {});
  throw new RuntimeStartError(`A container could not be started. ${openFilesSentence()}`);
}
