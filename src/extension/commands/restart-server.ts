import type { Command } from './command.ts';

/** Stops the local server and starts it again. */
export const restartServer: Command = async ({ connection, autoStart }) => {
  autoStart.holdBack();
  await connection.stop();
  autoStart.release();
  await connection.connect();
};
