import path from 'node:path';
import { Command, Option } from 'commander';
import { LOG_LEVELS, SERVER_NUMBERS, variableOf } from '../../process/server-settings.ts';
import { dataDirOption, portArgument } from '../arguments/arguments.ts';
import { findConfig } from '../folders/open-folder.ts';
import { runServer } from '../team/attached-server.ts';
import { takeTeamSecrets } from '../team/team-secrets.ts';
import { dataDirOf, type ProgramOptions } from '../terminal/context.ts';
import { usage } from '../terminal/failure.ts';

interface TeamOptions {
  readonly config?: string;
  readonly database?: string;
  readonly objects?: string | undefined;
  readonly url?: string;
  readonly agentsUrl?: string;
  readonly name?: string;
  readonly roles?: string;
  readonly port?: number;
  readonly dataDir?: string;
}

export function teamCommand(program: ProgramOptions): Command {
  const command = new Command('team')
    .description(
      'serve a team, with its state in PostgreSQL: the agent of a langgraph.json, or a platform to deploy to',
    )
    .option('--config <file>', 'langgraph.json of the agent (default: langgraph.json)')
    .option(
      '--database <url>',
      'PostgreSQL database, such as postgres://user@host/name (default: $DATABASE_URL)',
    )
    .option(
      '--objects <place>',
      'serve a platform with this object store: s3://bucket/prefix, or a folder that all machines share (default: $AGENT_HARBOR_OBJECTS)',
    )
    .option(
      '--url <url>',
      'URL of the load balancer, for clients (default: $AGENT_HARBOR_URL, or this machine)',
    )
    .option(
      '--agents-url <url>',
      'URL of each deployment, for clients, with * for its ID, such as https://*.agents.example.com (default: $AGENT_HARBOR_AGENTS_URL, or a path of --url)',
    )
    .option(
      '--name <name>',
      'name of the agent in the database, the same on every machine (default: $AGENT_HARBOR_NAME, or the folder of langgraph.json)',
    )
    .option(
      '--roles <roles>',
      'roles of this server, separated by commas: api answers requests, runs also runs graphs, builds also builds revisions, traces stores and queries the traces of a platform (default: $AGENT_HARBOR_ROLES, or all)',
    )
    .option(
      '--port <number>',
      'port, on all addresses of this machine (default: $PORT, or 8000)',
      portArgument,
    );
  for (const [name, { what, unit, byDefault }] of Object.entries(SERVER_NUMBERS))
    command.option(`--${name} <${unit}>`, `${what} (default: $${variableOf(name)}, or ${byDefault})`);
  return command
    .addOption(
      new Option(
        '--log-level <level>',
        `what the server logs (default: $${variableOf('log-level')}, or info)`,
      ).choices(LOG_LEVELS),
    )
    .addOption(dataDirOption())
    .action((options: TeamOptions) => serveTeam(program, options, passedOnArguments(command)));
}

/** Returns the arguments that are passed on to the server unchanged. */
function passedOnArguments(command: Command): string[] {
  const names = [...Object.keys(SERVER_NUMBERS), 'log-level'];
  return command.options
    .filter(({ long }) => names.includes(String(long).slice(2)))
    .flatMap((option): string[] => {
      const value: unknown = command.getOptionValue(option.attributeName());
      return typeof value === 'string' ? [String(option.long), value] : [];
    });
}

/** Serves until it is interrupted; the server's log goes to standard error. */
async function serveTeam(
  program: ProgramOptions,
  given: TeamOptions,
  passedOn: readonly string[],
): Promise<void> {
  const options = { ...given, objects: objectsOf(program.environment, given) };
  const hasStore = options.objects !== undefined;
  // The graphs get the environment without the server's own secrets.
  const { database, secrets, environment } = takeTeamSecrets(program.environment, {
    given: options.database,
    hasStore,
  });
  if (options.objects === '') throw usage('Pass --objects with the URL of an S3 bucket, or with a folder.');
  if (database === undefined || database === '')
    throw usage('Pass --database with the URL of a PostgreSQL database, or set DATABASE_URL.');
  const server = await serverOf(options);
  // The default is a subfolder, because a server that is not in a team may be using the data folder itself.
  const dataDir = options.dataDir ?? path.join(dataDirOf(program, {}), 'team');
  await runServer(program, {
    args: ['--data-dir', dataDir, '--until-stdin-ends', ...passedOn, ...server.args],
    environment: {
      ...environment,
      ...(options.port === undefined ? {} : { PORT: String(options.port) }),
      ...(options.roles === undefined ? {} : { AGENT_HARBOR_ROLES: options.roles }),
      ...server.environment,
    },
    secrets,
    whenKilled:
      'Other servers of the team continue its runs, and nothing that it had acknowledged is lost. Start this command again, or have a service manager do it.',
  });
}

/** Returns the object store of a platform; undefined when an agent is served. */
function objectsOf(environment: NodeJS.ProcessEnv, { objects, config }: TeamOptions): string | undefined {
  return objects ?? (config === undefined ? environment.AGENT_HARBOR_OBJECTS || undefined : undefined);
}

/**
 * Returns the arguments and variables of the server for the agent of a folder, or for a platform with deployments.
 * @throws Failure for options that exclude each other, or when there is no langgraph.json
 */
async function serverOf(
  options: TeamOptions,
): Promise<{ args: string[]; environment: Record<string, string> }> {
  const { config, name, objects, url, agentsUrl } = options;
  if (objects === undefined) {
    if (url !== undefined) throw usage('--url is for a platform. Pass --objects too.');
    if (agentsUrl !== undefined) throw usage('--agents-url is for a platform. Pass --objects too.');
    const configPath = await findConfig(config ?? 'langgraph.json');
    return {
      args: ['--agent', configPath],
      environment: name === undefined ? {} : { AGENT_HARBOR_NAME: name },
    };
  }
  if (config !== undefined || name !== undefined)
    throw usage(
      'With --objects, the team serves a platform to which agents are deployed. Omit --config and --name.',
    );
  return {
    args: ['--team'],
    environment: {
      AGENT_HARBOR_OBJECTS: objects.startsWith('s3:') ? objects : path.resolve(objects),
      ...(url === undefined ? {} : { AGENT_HARBOR_URL: url }),
      ...(agentsUrl === undefined ? {} : { AGENT_HARBOR_AGENTS_URL: agentsUrl }),
    },
  };
}
