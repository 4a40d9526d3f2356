import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import type { LogLine } from '../../../contract/harbor.ts';
import { openFilesSentence } from '../../../process/open-files.ts';
import { BY_SIGNAL, type RuntimeChild } from './runtime-child.ts';
import { RuntimeStartError } from './runtime-errors.ts';
import { ownGroup, StartedProcesses } from './started-processes.ts';

/** The file descriptor of the connection, in the runtime and in the list of the child's streams. */
const RUNTIME_FD = 3;

/** The command that starts a runtime. */
export interface RuntimeCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Starts a process that runs graphs, with a pipe for messages beside its standard output and error.
 * @throws RuntimeStartError when too many files are open for another process.
 */
export function spawnRuntime(command: RuntimeCommand): RuntimeChild {
  const child = spawn(command.file, command.args, {
    cwd: command.cwd,
    env: { ...command.env, AGENT_HARBOR_RUNTIME_FD: String(RUNTIME_FD) },
    // On Windows, a pipe that is not overlapped blocks writes while a read is waiting.
    stdio: ['ignore', 'pipe', 'pipe', 'overlapped'],
    windowsHide: true,
    detached: ownGroup,
  });
  const started = child.pid === undefined ? undefined : new StartedProcesses(child.pid);
  const pipe = pipeOf(child);
  const outputs = (['INFO', 'ERROR'] as const).flatMap((level: LogLine['level']) => {
    const stream = level === 'INFO' ? child.stdout : child.stderr;
    return stream === null ? [] : [{ stream, level: () => level }];
  });
  child.once('exit', () => started?.afterEnd());
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `exited with code ${code}` : `${BY_SIGNAL} ${signal}`),
    );
  });
  const kill = () => {
    if (ownGroup) child.kill('SIGKILL');
    else void started?.killTree();
  };
  return {
    pid: child.pid,
    pipe,
    outputs,
    exited,
    kill,
    beforeEnd: async () => started?.noteDescendants(),
    // On Windows, the descendants of a process can only be found as long as it exists.
    ...(ownGroup ? {} : { finish: async () => started?.killTree() }),
  };
}

function pipeOf(child: ChildProcess): Duplex {
  // A child that could not be started has no streams at all, although its type says that it has.
  const { stdio }: { readonly stdio: ChildProcess['stdio'] | undefined } = child;
  const pipe = stdio?.[RUNTIME_FD];
  if (pipe instanceof Duplex) return pipe;
  // The child's own error is ignored; the one below replaces it.
  child.once('error', () => {});
  throw new RuntimeStartError(`${child.spawnfile} could not be started. ${openFilesSentence()}`);
}
