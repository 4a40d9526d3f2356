import { Command } from 'commander';
import { eachPage } from '../../client/each-page.ts';
import type { Revision } from '../../contract/control-plane/revisions.ts';
import { findDeployment } from '../../deploy/find-deployment.ts';
import { formatCount } from '../../process/format-count.ts';
import { dataDirOption } from '../arguments/arguments.ts';
import { idArgument } from '../arguments/json-arguments.ts';
import { type ConnectOptions, connectionOption, connectToControlPlane } from '../connections/connect.ts';
import type { Context } from '../terminal/context.ts';

export function endDrainingCommand(context: Context): Command {
  return new Command('end-draining')
    .description('stop waiting for the runs on an earlier revision: they continue on the live one')
    .argument('<deployment>', 'name or ID')
    .argument('[revision]', 'revision ID (default: all that drain)')
    .addOption(connectionOption())
    .addOption(dataDirOption())
    .action((deployment: string, revision: string | undefined, options: ConnectOptions) =>
      endDraining(context, deployment, revision, options),
    );
}

async function endDraining(
  context: Context,
  nameOrId: string,
  revision: string | undefined,
  options: ConnectOptions,
): Promise<void> {
  const { interrupted: signal, terminal } = context;
  const wanted = revision === undefined ? undefined : idArgument('revision', revision);
  await using session = await connectToControlPlane(context, options);
  const { client } = session;
  const { id: deployment_id, name } = await findDeployment(client, nameOrId, signal);
  const params = { deployment_id };
  const draining: Revision[] = [];
  const pages = eachPage({ idOf: ({ id }: Revision) => id }, async (query) => {
    const { resources } = await client.revisions.list({ params, query }, { signal });
    return resources;
  });
  for await (const page of pages) draining.push(...page.filter((one) => one.draining !== undefined));
  const ended = wanted === undefined ? draining.map(({ id }) => id) : [wanted];
  for (const revision_id of ended) {
    const left = draining.find(({ id }) => id === revision_id)?.draining?.runs ?? 0;
    await client.controlPlane.draining.end({ params: { deployment_id, revision_id } }, { signal });
    const moved = left === 0 ? '' : ` ${formatCount(left, 'run')} will continue on the live revision.`;
    terminal.note(`Revision ${revision_id} of '${name}' no longer drains.${moved}`);
  }
  if (ended.length === 0) terminal.note(`No revision of '${name}' is draining.`);
}
