import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { dataDirOption } from '../arguments/arguments.ts';
import { findConfig } from '../folders/open-folder.ts';
import { runServer } from '../team/attached-server.ts';
import { takeTeamSecrets } from '../team/team-secrets.ts';
import { dataDirOf, type ProgramOptions } from '../terminal/context.ts';
import { usage } from '../terminal/failure.ts';

interface MoveOptions {
  readonly to?: string;
  readonly from?: string;
  readonly workspace?: string;
  readonly objects?: string;
  readonly config?: string;
  readonly name?: string;
  readonly dryRun?: true;
  readonly dataDir?: string;
}

export function moveCommand(program: ProgramOptions): Command {
  return new Command('move')
    .description(
      "copy a data folder to a team's empty database, or a workspace of a team to a new data folder; the original is unchanged",
    )
    .option('--to <url>', 'PostgreSQL database, such as postgres://user@host/name (default: $DATABASE_URL)')
    .option(
      '--objects <place>',
      'object store of the team, for deployments: s3://bucket/prefix, or a folder that all machines share',
    )
    .option(
      '--config <file>',
      'langgraph.json of the agent, if the team serves a single agent by name (no platform)',
    )
    .option(
      '--name <name>',
      "the agent's name in the team's database (default: the folder of langgraph.json)",
    )
    .option(
      '--workspace <workspace>',
      'move this workspace of the team, given by ID or name, to the new folder --data-dir',
    )
    .option('--from <url>', "URL of the team's database, with --workspace (default: $DATABASE_URL)")
    .option('--dry-run', 'only show what would be moved')
    .addOption(dataDirOption())
    .action((options: MoveOptions) => move(program, options));
}

/** Checks the options and has the server's program move the data. It returns when that is done or interrupted. */
async function move(program: ProgramOptions, options: MoveOptions): Promise<void> {
  const { workspace } = options;
  const [databaseOption, unfitting] =
    workspace === undefined ? (['to', 'from'] as const) : (['from', 'to'] as const);
  if (options[unfitting] !== undefined)
    throw usage(
      workspace === undefined
        ? '--from is the database of a --workspace. Pass --workspace too.'
        : `--to is for a data folder. Specify the database of workspace ${workspace} with --from.`,
    );
  if (workspace !== undefined && options.dataDir === undefined)
    throw usage('Pass --data-dir with the new folder that the workspace is moved to.');
  const { database, secrets, environment } = takeTeamSecrets(program.environment, {
    given: options[databaseOption],
    hasStore: true,
  });
  if (database === undefined || database === '')
    throw usage(`Pass --${databaseOption} with the URL of a PostgreSQL database, or set DATABASE_URL.`);
  const { objects } = options;
  const given = { dry_run: options.dryRun === true, agent: await readAgent(options), workspace };
  await runServer(program, {
    args: ['--data-dir', dataDirOf(program, options), '--move', JSON.stringify(given)],
    environment: {
      ...environment,
      ...(objects === undefined
        ? {}
        : { AGENT_HARBOR_OBJECTS: objects.startsWith('s3:') ? objects : path.resolve(objects) }),
    },
    secrets,
    whenKilled: 'The original is unchanged. Run the same command again: it continues, or starts over.',
  });
}

/** Finds the agent of `--config` and its name. @returns undefined when a platform is moved */
async function readAgent({
  config,
  name,
}: MoveOptions): Promise<{ config_path: string; name: string } | undefined> {
  if (config === undefined) {
    if (name !== undefined)
      throw usage('--name is for one agent. Pass --config with its langgraph.json too.');
    return undefined;
  }
  const configPath = await realpath(await findConfig(config));
  return { config_path: configPath, name: name ?? path.basename(path.dirname(configPath)) };
}
