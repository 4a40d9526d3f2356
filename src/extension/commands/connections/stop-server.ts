import type { Connections } from '../../connections/connections.ts';
import type { AutoStart } from '../../deployments/auto-start.ts';
import type { Command } from '../command.ts';

interface StopServerParts {
  readonly connections: Connections;
  readonly autoStart: AutoStart;
}

/** Stops the local server. Data is kept, and unfinished runs continue at the next start. */
export const stopServer: Command<StopServerParts> = async ({ connections: { local }, autoStart }) => {
  autoStart.holdBack();
  await local.stop();
};
