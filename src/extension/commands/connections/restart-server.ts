import type { Connections } from '../../connections/connections.ts';
import type { AutoStart } from '../../deployments/auto-start.ts';
import type { Command } from '../command.ts';

interface RestartServerParts {
  readonly connections: Connections;
  readonly autoStart: AutoStart;
}

/** Stops the local server and starts it again. */
export const restartServer: Command<RestartServerParts> = async ({ connections: { local }, autoStart }) => {
  autoStart.holdBack();
  await local.stop();
  autoStart.release();
  await local.connect();
};
