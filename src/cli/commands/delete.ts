import { Command } from 'commander';
import { findDeployment } from '../../deploy/find-deployment.ts';
import { dataDirOption } from '../arguments.ts';
import { confirm } from '../confirm.ts';
import { type ConnectOptions, connectionOption, connectToControlPlane } from '../connections/connect.ts';
import type { Context } from '../context.ts';

interface DeleteOptions extends ConnectOptions {
  readonly yes?: true;
  readonly tracingProject?: true;
}

export function deleteCommand(context: Context): Command {
  return new Command('delete')
    .description('delete a deployment with its threads, assistants and revisions')
    .argument('<deployment>', 'name or ID')
    .option('--yes', 'skip typing its name')
    .option('--tracing-project', 'also delete its traces')
    .addOption(connectionOption())
    .addOption(dataDirOption())
    .action((deployment: string, options: DeleteOptions) => remove(context, deployment, options));
}

async function remove(context: Context, nameOrId: string, options: DeleteOptions): Promise<void> {
  const { terminal, interrupted: signal } = context;
  await using session = await connectToControlPlane(context, options);
  const deployment = await findDeployment(session.client, nameOrId, signal);
  if (!options.yes) {
    await confirm(context, {
      question: `Type '${deployment.name}' to permanently delete the deployment and all its threads: `,
      expected: deployment.name,
      otherwise: 'Nothing was deleted.',
    });
  }
  await session.client.deployments.delete(
    {
      params: { deployment_id: deployment.id },
      query: { delete_tracing_project: options.tracingProject === true },
    },
    // Deleting stops its runs first.
    { signal, timeoutMs: 120_000 },
  );
  terminal.note(`Deleted '${deployment.name}' (${deployment.id}).`);
}
