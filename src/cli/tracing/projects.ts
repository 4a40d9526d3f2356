import type { Client } from '../../client/client.ts';
import { findLatestProject, findProject } from '../../client/find-project.ts';
import type { Session } from '../../contract/tracing/sessions.ts';
import { findFolderDeployment } from '../folders/folder-deployment.ts';
import type { Context } from '../terminal/context.ts';
import { Failure } from '../terminal/failure.ts';

/** Finds a tracing project by its name. @throws Failure when there is no such project */
export async function requireProject(
  { interrupted: signal }: Context,
  client: Client,
  name: string,
): Promise<Session> {
  const found = await findProject(client, name, { signal });
  if (found !== undefined) return found;
  throw new Failure(`Project '${name}' not found. List projects with agent-harbor projects.`);
}

/**
 * The named project; else that of this folder's agent, if it has any traces; else the project with the newest trace.
 * @throws Failure when there is no such project, or no project at all
 */
export async function chooseProject(
  context: Context,
  client: Client,
  { project: name, connection }: { readonly project?: string | undefined; readonly connection: string },
): Promise<Session> {
  if (name !== undefined) return requireProject(context, client, name);
  // Other platforms do not know folders on this machine.
  const chosen =
    connection === 'local'
      ? await findOwnOrLatestProject(context, client, 'langgraph.json')
      : await findLatestProject(client, { signal: context.interrupted });
  if (chosen !== undefined) return chosen;
  throw new Failure('No traces yet. Run an agent first, for example with agent-harbor run.');
}

/**
 * The tracing project of a folder's agent if it has any traces, else the one with the newest trace.
 * @param config the path of its langgraph.json, as given on the command line
 */
export async function findOwnOrLatestProject(
  { interrupted: signal }: Context,
  client: Client,
  config: string,
): Promise<Session | undefined> {
  const folder = await findFolderDeployment(client, config, signal);
  const own = folder && (await findProject(client, folder.name, { signal }));
  return own ?? (await findLatestProject(client, { signal }));
}
