import type { Command } from '../command.ts';

/** Stops the local server. Data is kept, and unfinished runs continue at the next start. */
export const stopServer: Command = async ({ connections: { local }, autoStart }) => {
  autoStart.holdBack();
  await local.stop();
};
