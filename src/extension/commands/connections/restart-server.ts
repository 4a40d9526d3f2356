import type { Connections } from '../../connections/connections.ts';
import type { AutoStart } from '../../deployments/auto-start.ts';
import type { Command } from '../command.ts';

interface RestartServerParts {
  readonly connections: { readonly local: Pick<Connections['local'], 'stop' | 'connect'> };
  readonly autoStart: Pick<AutoStart, 'holdBack' | 'release'>;
}

/** Stops the local server and starts it again. */
export const restartServer: Command<RestartServerParts> = async ({ connections: { local }, autoStart }) => {
  // While the server stops, it must not be started automatically; it is started below.
  autoStart.holdBack();
  try {
    await local.stop();
  } finally {
    autoStart.release();
  }
  await local.connect();
};
