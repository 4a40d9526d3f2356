import { resolve } from 'node:path';
import { z } from 'zod';
import { Client } from '../../src/client/client.ts';
import { localConnection } from '../../src/client/connection.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { type CliOptions, type CliResult, cli, startCli } from './cli.ts';
import { dataFolder } from './data-folder.ts';

const agents = resolve(import.meta.dirname, '../fixtures/agents/langgraph.json');

/** `agent-harbor dev` with its own data folder, and the command line beside it. */
export interface DevSession extends AsyncDisposable {
  readonly client: Client;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly deploymentUrl: string;
  readonly dataDir: string;
  readonly config: string;
  /** Runs a command with this session's `--data-dir`. */
  cli(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** Runs a command for the served agent. */
  agent(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** The same with `--json`; fails unless it exits with 0. @returns what it printed. */
  json(args: readonly string[], options?: CliOptions): Promise<unknown>;
}

const Ready = z.object({ deployment_url: z.string(), base_url: z.string(), api_key: z.string() });

/** `await using session = await devSession()`, serving test/fixtures/agents or another langgraph.json. */
export async function devSession(config = agents): Promise<DevSession> {
  await using cleanup = new AsyncDisposableStack();
  const folder = cleanup.use(await dataFolder());
  const dispatcher = createDispatcher({});
  cleanup.defer(() => dispatcher.destroy());
  const data = ['--data-dir', folder.path];
  const dev = startCli(['dev', '--config', config, '--port', '0', '--json', ...data]);
  cleanup.defer(async () => void (await dev.interrupt()));
  const { deployment_url, base_url, api_key } = Ready.parse(JSON.parse(await dev.said('\n')));
  const run: DevSession['cli'] = (args, options) => cli([...args, ...data], options);
  const agent: DevSession['agent'] = (args, options) => run([...args, '--config', config], options);
  const kept = cleanup.move();
  return {
    client: new Client({
      dispatcher,
      connection: localConnection({ baseUrl: base_url, apiKey: api_key, deploymentUrl: deployment_url }),
    }),
    baseUrl: base_url,
    apiKey: api_key,
    deploymentUrl: deployment_url,
    dataDir: folder.path,
    config,
    cli: run,
    agent,
    async json(args, options) {
      const { code, stdout, stderr } = await agent([...args, '--json'], options);
      if (code !== 0) throw new Error(`agent-harbor ${args.join(' ')} exited with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
