import { Command } from 'commander';
import { dataDirOption } from '../arguments/arguments.ts';
import { runServer } from '../team/attached-server.ts';
import { takeTeamSecrets } from '../team/team-secrets.ts';
import { dataDirOf, type ProgramOptions } from '../terminal/context.ts';
import { usage } from '../terminal/failure.ts';

interface RotateOptions {
  readonly team?: true;
  readonly database?: string;
  readonly dataDir?: string;
}

export function rotateSecretsKeyCommand(program: ProgramOptions): Command {
  return new Command('rotate-secrets-key')
    .description(
      'encrypt all secrets of a data folder with a new key, or those of a team with $AGENT_HARBOR_NEW_SECRETS_KEY',
    )
    .option('--team', 'change the secrets of a team, in the database $DATABASE_URL')
    .option('--database <url>', 'change the secrets of a team, in this PostgreSQL database')
    .addOption(dataDirOption())
    .action((options: RotateOptions) => rotate(program, options));
}

/**
 * Has the server's program encrypt the secrets with the new key. No server may be using the folder; the servers of a
 * team must have both keys.
 */
async function rotate(program: ProgramOptions, options: RotateOptions): Promise<void> {
  const isTeam = options.team === true || options.database !== undefined;
  const { database, secrets, environment } = takeTeamSecrets(program.environment, {
    given: options.database,
    hasStore: false,
  });
  if (isTeam && options.dataDir !== undefined)
    throw usage('Use either --data-dir, or --team or --database. A team has its secrets in its database.');
  if (isTeam && (database === undefined || database === ''))
    throw usage('Pass --database with the URL of a PostgreSQL database, or set DATABASE_URL.');
  await runServer(program, {
    args: [
      ...['--data-dir', dataDirOf(program, options)],
      ...['--rotate-secrets-key', isTeam ? 'team' : 'folder'],
    ],
    environment,
    secrets,
    whenKilled: isTeam
      ? 'Some secrets have the earlier key, others the new one. Keep both keys on all running servers, and run the same command again.'
      : 'Either all secrets have the new key, or none. Run the same command again.',
  });
}
