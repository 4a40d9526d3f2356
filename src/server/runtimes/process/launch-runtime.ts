import type { RuntimeChild } from './runtime-child.ts';
import { type RuntimeCommand, spawnRuntime } from './spawn-runtime.ts';
import { stopWithServer } from './stop-with-server.ts';

/**
 * Begins what runs the graphs of one language: a process of this machine, or one that is kept apart from it.
 * @throws RuntimeStartError
 */
export type LaunchRuntime = (command: RuntimeCommand) => Promise<RuntimeChild>;

/** As a process of this machine, with everything that the server's user may do. */
export const launchProcess: LaunchRuntime = async (command) => {
  const ending = await stopWithServer();
  return spawnRuntime(ending(command));
};
