import type { Command } from './command.ts';

/** Stops the local server. Threads and traces stay; runs that are under way continue when it starts again. */
export const stopServer: Command = async ({ connections: { local }, autoStart }) => {
  autoStart.holdBack();
  await local.stop();
};
