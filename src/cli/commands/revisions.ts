import { Command } from 'commander';
import { findDeployment } from '../../deploy/find-deployment.ts';
import { dataDirOption } from '../arguments/arguments.ts';
import { type ConnectOptions, connectionOption, connectToControlPlane } from '../connections/connect.ts';
import { revisionColumns } from '../render/deployments.ts';
import { countArgument, showPage } from '../render/paging.ts';
import type { Context } from '../terminal/context.ts';

interface RevisionsOptions extends ConnectOptions {
  readonly limit: number;
  readonly json?: true;
}

export function revisionsCommand(context: Context): Command {
  return new Command('revisions')
    .description('list the revisions of a deployment, newest first')
    .argument('<deployment>', 'name or ID')
    .option('--limit <number>', 'maximum number of results', countArgument, 20)
    .addOption(connectionOption())
    .addOption(dataDirOption())
    .option('--json', 'print JSON')
    .action((deployment: string, options: RevisionsOptions) => revisions(context, deployment, options));
}

async function revisions(context: Context, nameOrId: string, options: RevisionsOptions): Promise<void> {
  const { interrupted: signal } = context;
  await using session = await connectToControlPlane(context, options);
  const { client } = session;
  const deployment = await findDeployment(client, nameOrId, signal);
  const { resources } = await client.revisions.list(
    { params: { deployment_id: deployment.id }, query: { limit: options.limit } },
    { signal },
  );
  showPage(context, { rows: resources, total: undefined }, revisionColumns(deployment), {
    json: options.json,
    empty: `'${deployment.name}' has no revisions.`,
  });
}
