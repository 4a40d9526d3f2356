import type { Connections } from '../../connections/connections.ts';
import type { Trees } from '../../views/live-refresh.ts';
import type { Command } from '../command.ts';

/**
 * Adds a platform and signs in to it. An agent server needs no sign-in: its key was asked for when it was
 * added.
 */
export const addConnection: Command<{ readonly connections: Connections; readonly trees: Trees }> = async ({
  connections,
  trees,
}) => {
  const { addConnection: addAnother } = await import('../../connections/add-connection.ts');
  const added = await addAnother(connections);
  if (added === undefined) return;
  if (!added.isAgentServerOnly) {
    const { signIn } = await import('../../connections/sign-in.ts');
    await signIn(connections, added.stored, await connections.readCredentials(added.id));
  }
  await trees.deployments.reveal(`connection:${added.id}`);
};
