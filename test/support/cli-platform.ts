import { z } from 'zod';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { startCli } from './cli.ts';
import { dataFolder } from './data-folder.ts';

const announced = z.object({ base_url: z.string(), api_key: z.string() });

/** The platform of an `agent-harbor serve` with its own data folder, and a client for it. */
export interface CliPlatform extends AsyncDisposable {
  /** For `--data-dir` of other commands. */
  readonly dataDir: string;
  readonly client: Client;
}

export async function cliPlatform(): Promise<CliPlatform> {
  const data = await dataFolder();
  const dispatcher = createDispatcher({});
  const server = startCli(['serve', '--port', '0', '--data-dir', data.path, '--json']);
  const { base_url: baseUrl, api_key: apiKey } = announced.parse(JSON.parse(await server.said('\n')));
  return {
    dataDir: data.path,
    client: new Client({
      dispatcher,
      connection: { baseUrl, controlPlaneUrl: baseUrl, credentials: { apiKey } },
    }),
    [Symbol.asyncDispose]: async () => {
      await server.interrupt();
      await dispatcher.destroy();
      await data[Symbol.asyncDispose]();
    },
  };
}
