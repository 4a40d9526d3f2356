import { Command } from 'commander';
import { findDeployment } from '../../deploy/find-deployment.ts';
import { dataDirOption } from '../arguments/arguments.ts';
import { type ConnectOptions, connectionOption, connectToControlPlane } from '../connections/connect.ts';
import type { Context } from '../terminal/context.ts';

export function pauseCommand(context: Context): Command {
  return deploymentCommand('pause', 'pause a deployment: accepted runs wait until it is resumed').action(
    (deployment: string, options: ConnectOptions) => change(context, deployment, options, 'pause'),
  );
}

export function resumeCommand(context: Context): Command {
  return deploymentCommand('resume', 'start the runs of a paused deployment').action(
    (deployment: string, options: ConnectOptions) => change(context, deployment, options, 'resume'),
  );
}

function deploymentCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<deployment>', 'name or ID')
    .addOption(connectionOption())
    .addOption(dataDirOption());
}

async function change(
  context: Context,
  nameOrId: string,
  options: ConnectOptions,
  to: 'pause' | 'resume',
): Promise<void> {
  const { terminal, interrupted: signal } = context;
  await using session = await connectToControlPlane(context, options);
  const { id } = await findDeployment(session.client, nameOrId, signal);
  const { name } = await session.client.controlPlane.pausing[to](
    { params: { deployment_id: id } },
    { signal },
  );
  terminal.note(
    to === 'pause'
      ? `Paused '${name}' (${id}). Runs that have started continue; others wait until: agent-harbor resume ${id}`
      : `Resumed '${name}' (${id}).`,
  );
}
