import { type ChildProcess, spawn } from 'node:child_process';

/** Where both sides find the connection. */
export const RUNTIME_FD = 3;

export interface RuntimeCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Begins a process that will run graphs, with a pipe to it beside its output. */
export function spawnRuntime(command: RuntimeCommand): ChildProcess {
  return spawn(command.file, command.args, {
    cwd: command.cwd,
    env: { ...command.env, AGENT_HARBOR_RUNTIME_FD: String(RUNTIME_FD) },
    // On Windows a pipe that is not overlapped keeps writes waiting for reads.
    stdio: ['ignore', 'pipe', 'pipe', 'overlapped'],
    windowsHide: true,
  });
}
