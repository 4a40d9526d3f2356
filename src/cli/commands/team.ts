import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Command } from 'commander';
import { checkExecutable, thisExecutable } from '../../launcher/executable.ts';
import { configOption, dataDirOption, portArgument } from '../arguments.ts';
import { dataDirOf, type ProgramOptions } from '../context.ts';
import { usage } from '../failure.ts';
import { findConfig } from '../open-folder.ts';

interface TeamOptions {
  readonly config: string;
  readonly database?: string;
  readonly name?: string;
  readonly port: number;
  readonly dataDir?: string;
}

export function teamCommand(program: ProgramOptions): Command {
  return new Command('team')
    .description('serve the agent of a langgraph.json to a team, with its state in PostgreSQL')
    .addOption(configOption())
    .option('--database <url>', 'PostgreSQL database, as postgres://user@host/name (default: $DATABASE_URL)')
    .option(
      '--name <name>',
      'what the agent is called in the database, on every machine (default: the folder of langgraph.json)',
    )
    .option('--port <number>', 'port for the agent, on all addresses of this machine', portArgument, 8000)
    .addOption(dataDirOption())
    .action((options: TeamOptions) => serveTeam(program, options));
}

/** Serves until it is interrupted; the server's log goes to standard error. */
async function serveTeam(program: ProgramOptions, options: TeamOptions): Promise<void> {
  const { interrupted, serverPath } = program;
  const { DATABASE_URL, ...others } = program.environment;
  const database = options.database ?? DATABASE_URL;
  // The graphs get the environment; what is the server's alone is not theirs.
  const environment = options.database === undefined ? others : program.environment;
  if (database === undefined || database === '')
    throw usage('Pass --database with the URL of a PostgreSQL database, or set DATABASE_URL.');
  const configPath = await findConfig(options.config);
  checkExecutable();
  const executable = thisExecutable();
  // A server of this machine may be using the folder that is not for teams.
  const dataDir = options.dataDir ?? path.join(dataDirOf(program, {}), 'team');
  const server = spawn(
    executable.command,
    ['--disable-warning=ExperimentalWarning', serverPath, '--data-dir', dataDir, '--agent', configPath],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...environment,
        ...executable.environment,
        // Not an argument, which all users of the machine could read.
        AGENT_HARBOR_DATABASE: database,
        PORT: String(options.port),
        ...(options.name === undefined ? {} : { AGENT_HARBOR_NAME: options.name }),
      },
    },
  );
  const stop = () => void server.kill('SIGTERM');
  interrupted.addEventListener('abort', stop, { once: true });
  if (interrupted.aborted) stop();
  const [code] = await once(server, 'close');
  process.exitCode = typeof code === 'number' ? code : 1;
}
