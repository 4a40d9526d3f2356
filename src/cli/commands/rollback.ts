import { Command } from 'commander';
import { findDeployment } from '../../deploy/find-deployment.ts';
import { findPreviousRevision } from '../../deploy/previous-revision.ts';
import { dataDirOption } from '../arguments/arguments.ts';
import { idArgument } from '../arguments/json-arguments.ts';
import { type ConnectOptions, connectionOption, connectToControlPlane } from '../connections/connect.ts';
import { finishRevision } from '../folders/finish-revision.ts';
import type { Context } from '../terminal/context.ts';

interface RollbackOptions extends ConnectOptions {
  readonly wait?: true;
  readonly json?: true;
}

export function rollbackCommand(context: Context): Command {
  return new Command('rollback')
    .description('deploy the source and variables of an earlier revision again, as a new revision')
    .argument('<deployment>', 'name or ID')
    .argument('[revision]', 'revision ID (default: the one deployed before)')
    .addOption(connectionOption())
    .addOption(dataDirOption())
    .option('--wait', 'wait until the revision is deployed; exit with 1 if it fails')
    .option('--json', 'print one line of JSON at the end')
    .action((deployment: string, revision: string | undefined, options: RollbackOptions) =>
      rollback(context, deployment, revision, options),
    );
}

async function rollback(
  context: Context,
  nameOrId: string,
  revision: string | undefined,
  options: RollbackOptions,
): Promise<void> {
  const { interrupted: signal, terminal } = context;
  await using session = await connectToControlPlane(context, options);
  const deployment = await findDeployment(session.client, nameOrId, signal);
  const revision_id =
    revision === undefined
      ? await findPreviousRevision(session.client, deployment, { signal })
      : idArgument('revision', revision);
  const params = { deployment_id: deployment.id, revision_id };
  const changed = await session.client.revisions.redeploy({ params }, { signal });
  terminal.note(`Rolling back to ${revision_id}.`);
  await finishRevision(context, session, changed, options);
}
