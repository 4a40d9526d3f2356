import { Command } from 'commander';
import { listDeployments } from '../../client/list-deployments.ts';
import { withLatestStatuses } from '../../deploy/latest-statuses.ts';
import { dataDirOption } from '../arguments/arguments.ts';
import { type ConnectOptions, connectionOption, connectToControlPlane } from '../connections/connect.ts';
import { DEPLOYMENT_COLUMNS, isClosedFolder } from '../render/deployments.ts';
import { showPage } from '../render/paging.ts';
import type { Context } from '../terminal/context.ts';

interface DeploymentsOptions extends ConnectOptions {
  readonly nameContains?: string;
  readonly all?: true;
  readonly json?: true;
}

export function deploymentsCommand(context: Context): Command {
  return new Command('deployments')
    .description('list deployments')
    .option('--name-contains <text>', 'only if the name contains this text')
    .option('--all', 'include folders that are not being served now')
    .addOption(connectionOption())
    .addOption(dataDirOption())
    .option('--json', 'print JSON')
    .action((options: DeploymentsOptions) => deployments(context, options));
}

async function deployments(context: Context, options: DeploymentsOptions): Promise<void> {
  const { interrupted: signal } = context;
  await using session = await connectToControlPlane(context, options);
  const all = await listDeployments(session.client, options.nameContains, signal);
  const shown = options.all ? all : all.filter((deployment) => !isClosedFolder(deployment));
  const rows = await withLatestStatuses(session.client, shown, signal);
  showPage(context, { rows, total: undefined }, DEPLOYMENT_COLUMNS, {
    ...options,
    empty: 'No deployments. Run agent-harbor deploy to create one.',
  });
}
