import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { Deployment } from '../../contract/control-plane/deployments.ts';
import { isTerminal } from '../../contract/control-plane/revisions.ts';
import { findDeployment, isServedInPlace } from '../../deploy/find-deployment.ts';
import { configOption, dataDirOption } from '../arguments/arguments.ts';
import { type ConnectOptions, connectionOption, connectToControlPlane } from '../connections/connect.ts';
import { type AgentSession, connectToDeployment, openFolderForCommand } from '../folders/agent-connection.ts';
import { findConfig } from '../folders/open-folder.ts';
import { NextCommands } from '../render/next-commands.ts';
import { failureSentence } from '../render/places.ts';
import type { Context } from '../terminal/context.ts';
import { Failure, usage } from '../terminal/failure.ts';
import { type HeaderOptions, headerOption, readHeaders } from './headers.ts';

/** The options that select the agent server of a command. */
export interface TargetOptions extends ConnectOptions, HeaderOptions {
  readonly config: string;
  /** URL, name or ID of a deployment; absent means the agent of the langgraph.json. */
  readonly deployment?: string;
}

export function addTargetOptions(command: Command): Command {
  return command
    .addOption(configOption())
    .option(
      '--deployment <where>',
      'use this deployment (URL, name or ID) instead of the agent in this folder',
    )
    .addOption(connectionOption())
    .addOption(headerOption())
    .addOption(dataDirOption());
}

/** The options of the commands of a resource, such as threads. */
export interface ResourceOptions extends TargetOptions {
  readonly json?: true;
}

/** Adds commands to the command of a resource, each with the options for a target and for JSON. */
export function addResourceCommands(
  resource: Command,
  context: Context,
  makers: readonly ((context: Context) => Command)[],
): Command {
  for (const make of makers) {
    resource.addCommand(addTargetOptions(make(context)).option('--json', 'print JSON'));
  }
  return resource;
}

/** Calls `work` with the agent server that the command line selects, and cleans up afterwards. */
export async function withAgents<Result>(
  context: Context,
  options: TargetOptions,
  work: (client: Client, session: Pick<AgentSession, 'loadFailure'>) => Promise<Result>,
): Promise<Result> {
  const headers = await readHeaders(options);
  const session = await connect(context, options);
  try {
    return await work(session.client.withHeaders(headers), session);
  } finally {
    await session.close();
  }
}

/**
 * Refuses `--connection` without `--deployment`, because a connection only says where to find the deployment.
 * @throws Failure
 */
export function checkTarget({
  deployment,
  connection,
}: Pick<TargetOptions, 'deployment' | 'connection'>): void {
  if (deployment !== undefined || connection === 'local') return;
  throw usage(
    "With --connection, pass the name or ID of a deployment with --deployment. To use a deployment's URL, leave out --connection.",
  );
}

function connect(context: Context, options: TargetOptions): Promise<AgentSession> {
  checkTarget(options);
  const { deployment } = options;
  return deployment === undefined
    ? connectToOwnFolder(context, options)
    : connectTo(context, options, deployment);
}

/** Connects to a deployment. @param deployment its URL, name or ID */
export async function connectTo(
  context: Context,
  options: ConnectOptions,
  deployment: string,
): Promise<AgentSession> {
  // `host:port` is probably meant as a URL. `connectToDeployment` refuses it, because it has no scheme.
  if (/^https?:\/\/|^[\w.-]+:\d+/.test(deployment)) return connectToDeployment(context, deployment);
  return openDeploymentSession(context, options, deployment);
}

async function connectToOwnFolder(context: Context, options: TargetOptions): Promise<AgentSession> {
  const configPath = await findConfig(options.config);
  const opening = { ...options, configPath, client: 'agent-harbor' };
  const { client, deployment, close } = await openFolderForCommand(context, opening);
  const { deployment_url, runtime } = deployment;
  const loadFailure = runtime.state === 'failed' ? failureSentence(runtime) : undefined;
  if (loadFailure !== undefined) context.terminal.note(`The graphs failed to load: ${loadFailure}`);
  return { client: client.withDeployment(deployment_url), loadFailure, close };
}

async function openDeploymentSession(
  context: Context,
  options: ConnectOptions,
  nameOrId: string,
): Promise<AgentSession> {
  const session = await connectToControlPlane(context, options);
  const close = async () => session[Symbol.asyncDispose]();
  try {
    const deployment = await findDeployment(session.client, nameOrId, context.interrupted);
    const url = deployment.source_config.custom_url;
    if (!url && isServedInPlace(deployment)) {
      throw new Failure(
        `'${deployment.name}' is a folder that is not being served. Run agent-harbor dev in that folder.`,
      );
    }
    if (!url) throw new Failure(await whyNoUrl(session.client, deployment, options, context.interrupted));
    return { client: session.client.withDeployment(url), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Says why a deployment has no URL: the state of its latest revision, and the command that shows its log. */
async function whyNoUrl(
  client: Client,
  { id, name, latest_revision_id }: Deployment,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<string> {
  if (latest_revision_id === null) return `Deployment '${name}' has no revision yet.`;
  const params = { deployment_id: id, revision_id: latest_revision_id };
  const { status, status_message } = await client.revisions.get({ params }, { signal });
  const commands = new NextCommands(options);
  if (!isTerminal(status))
    return `Deployment '${name}' is not available yet: its revision is ${status}. Follow it: ${commands.buildLog(name)}`;
  const [reason = ''] = (status_message ?? '').split('\n', 1);
  const why = reason === '' ? '.' : `: ${/[.!?]$/.test(reason) ? reason : `${reason}.`}`;
  const log = status === 'BUILD_FAILED' ? commands.buildLog(name) : commands.log(name);
  return `Deployment '${name}' is not available, because its revision ended with ${status}${why} Read the log: ${log}`;
}
