import { Command, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import { listDeployments } from '../../deploy/find-deployment.ts';
import { clientOf, findServer } from '../../launcher/running-server.ts';
import { configOption, dataDirOption } from '../arguments.ts';
import { type Context, dataDirOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { findConfig } from '../open-folder.ts';

const FORMATS = ['sh', 'powershell', 'dotenv'] as const;

interface EnvOptions {
  readonly config: string;
  readonly format: (typeof FORMATS)[number];
  readonly dataDir?: string;
  readonly json?: true;
}

export function envCommand(context: Context): Command {
  return new Command('env')
    .description(
      'print the environment variables that scripts need to use the local server, including its key',
    )
    .addOption(configOption())
    .addOption(
      new Option('--format <format>', 'output format')
        .choices([...FORMATS])
        .default(process.platform === 'win32' ? 'powershell' : 'sh', 'the shell of your system'),
    )
    .addOption(dataDirOption())
    .option('--json', 'print JSON')
    .action((options: EnvOptions) => env(context, options));
}

async function env(context: Context, options: EnvOptions): Promise<void> {
  const { terminal, dispatcher, interrupted: signal } = context;
  const server = await findServer({ dataDir: dataDirOf(context, options), dispatcher, signal });
  if (server === undefined) {
    throw new Failure(
      'No server is running. Start one with agent-harbor dev, or with agent-harbor serve if you have no agent.',
    );
  }
  const agent = await addressOf(clientOf(server, dispatcher), options.config, signal);
  const variables = {
    LANGSMITH_ENDPOINT: server.baseUrl,
    LANGSMITH_API_KEY: server.apiKey,
    LANGSMITH_TRACING: 'true',
    ...(agent === undefined ? {} : { LANGGRAPH_API_URL: agent }),
  };
  if (options.json) return terminal.line(JSON.stringify(variables));
  for (const [name, value] of Object.entries(variables))
    terminal.line(assignment(name, value, options.format));
  if (agent === undefined) {
    terminal.note(
      'LANGGRAPH_API_URL is not set, because the agent of this folder is not running. Start it with agent-harbor dev.',
    );
  }
}

/** The URL of the agent of a langgraph.json; undefined when it is not served or does not exist. */
async function addressOf(client: Client, config: string, signal: AbortSignal): Promise<string | undefined> {
  const configPath = await findConfig(config).catch((error: unknown) => {
    // Tracing needs no agent, so it works from any folder.
    if (error instanceof Failure && config === 'langgraph.json') return undefined;
    throw error;
  });
  if (configPath === undefined) return undefined;
  const all = await listDeployments(client, undefined, signal);
  const live = all.find(
    ({ latest_revision_id, source_revision_config }) =>
      latest_revision_id === null && source_revision_config?.platform_config_path === configPath,
  );
  return live?.source_config.custom_url || undefined;
}

function assignment(name: string, value: string, format: EnvOptions['format']): string {
  switch (format) {
    case 'sh':
      return `export ${name}='${value.replaceAll("'", `'\\''`)}'`;
    case 'powershell':
      return `$env:${name} = '${value.replaceAll("'", "''")}'`;
    case 'dotenv':
      return `${name}=${value}`;
  }
}
