import { Command, Option } from 'commander';
import { tracingVariables } from '../../client/tracing-variables.ts';
import { clientOf } from '../../launcher/client-of.ts';
import { findServer } from '../../launcher/running-server.ts';
import { configOption, dataDirOption } from '../arguments/arguments.ts';
import { findFolderDeployment } from '../folders/folder-deployment.ts';
import { type Context, dataDirOf } from '../terminal/context.ts';
import { Failure } from '../terminal/failure.ts';

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
  const folder = await findFolderDeployment(clientOf(server, dispatcher), options.config, signal);
  const agent = folder?.source_config.custom_url || undefined;
  const variables = {
    ...tracingVariables(clientOf(server, dispatcher).connection),
    ...(agent === undefined ? {} : { LANGGRAPH_API_URL: agent }),
  };
  if (options.json) return terminal.json(variables);
  for (const [name, value] of Object.entries(variables))
    terminal.line(assignment(name, value, options.format));
  if (agent === undefined) {
    terminal.note(
      'LANGGRAPH_API_URL is not set, because the agent of this folder is not running. Start it with agent-harbor dev.',
    );
  }
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
