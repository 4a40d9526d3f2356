import type { Command } from '../command.ts';

/** Stops the local server and starts it again. */
export const restartServer: Command = async ({ connections: { local }, autoStart }) => {
  autoStart.holdBack();
  await local.stop();
  autoStart.release();
  await local.connect();
};
