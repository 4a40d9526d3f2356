import type { Connections } from '../../connections/connections.ts';
import type { AutoStart } from '../../deployments/auto-start.ts';
import type { Command } from '../command.ts';

interface RestartServerParts {
  readonly connections: { readonly local: Pick<Connections['local'], 'stop' | 'connect'> };
  readonly autoStart: Pick<AutoStart, 'holdBack' | 'release'>;
}

/** Stops the local server and starts it again. */
export const restartServer: Command<RestartServerParts> = async ({ connections: { local }, autoStart }) => {
  // While it is stopped, it is started here and not automatically.
  autoStart.holdBack();
  try {
    await local.stop();
  } finally {
    autoStart.release();
  }
  await local.connect();
};
