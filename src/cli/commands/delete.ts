import { Command } from 'commander';
import type { Deployment } from '../../contract/control-plane/deployments.ts';
import { findDeployment, isServedInPlace } from '../../deploy/find-deployment.ts';
import { dataDirOption } from '../arguments/arguments.ts';
import { type ConnectOptions, connectionOption, connectToControlPlane } from '../connections/connect.ts';
import { confirm } from '../terminal/confirm.ts';
import type { Context } from '../terminal/context.ts';
import { Failure } from '../terminal/failure.ts';

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
  if (isServedInPlace(deployment)) checkFolderDeployment(deployment, nameOrId);
  if (!options.yes) {
    await confirm(context, {
      question: `Type '${deployment.name}' to permanently delete ${describe(deployment)} and all its threads: `,
      expected: deployment.name,
      otherwise: 'Nothing was deleted.',
    });
  }
  await session.client.deployments.delete(
    {
      params: { deployment_id: deployment.id },
      query: { delete_tracing_project: options.tracingProject === true },
    },
    // The server first stops the runs of the deployment, which takes a while.
    { signal, timeoutMs: 120_000 },
  );
  terminal.note(`Deleted '${deployment.name}' (${deployment.id}).`);
}

/**
 * Refuses to delete the agent of a folder, unless the folder is closed and the user passed the ID. A
 * deployment of the folder has the same name, so the same command, run twice with that name, would otherwise
 * delete the agent, too.
 * @throws Failure
 */
function checkFolderDeployment({ id, name, source_config }: Deployment, nameOrId: string): void {
  if (source_config.custom_url) {
    throw new Failure(
      `'${name}' was not deployed: it is the agent of a folder that is open now. Stop agent-harbor dev, or close the folder in VS Code, before you delete its threads and assistants.`,
    );
  }
  if (nameOrId === name) {
    throw new Failure(
      `'${name}' was not deployed: it is the agent of a folder. To delete its threads and assistants, use its ID: ${id}.`,
    );
  }
}

/** Describes what is deleted, with its ID, because several deployments may have one name. */
function describe(deployment: Deployment): string {
  const what = isServedInPlace(deployment) ? 'the agent of a folder' : 'the deployment';
  const url = deployment.source_config.custom_url;
  return `${what} (${url ? `${url}, ` : ''}${deployment.id})`;
}
