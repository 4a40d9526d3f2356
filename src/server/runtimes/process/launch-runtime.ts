import type { RuntimeChild } from './runtime-child.ts';
import { type RuntimeCommand, spawnRuntime } from './spawn-runtime.ts';
import { makeStopWithServer } from './stop-with-server.ts';

/**
 * Starts the process that runs the graphs of one language, on this machine or isolated from it.
 * @throws RuntimeStartError
 */
export type LaunchRuntime = (command: RuntimeCommand) => Promise<RuntimeChild>;

/** Starts a process on this machine, with all permissions of the server's user. */
export const launchProcess: LaunchRuntime = async (command) => {
  const stopWithServer = await makeStopWithServer();
  return spawnRuntime(stopWithServer(command));
};
