import { Command } from 'commander';
import { RevisionFailedError } from '../../client/wait-for-revision.ts';
import type { Deployment } from '../../contract/control-plane/deployments.ts';
import { createOrUpdate, defaultName } from '../../deploy/create-or-update.ts';
import { followRevision } from '../../deploy/follow-revision.ts';
import { linksLeadingOut, readGitState } from '../../project/git-state.ts';
import { findSecrets } from '../../project/secrets.ts';
import { configOption, dataDirOption } from '../arguments.ts';
import { type ControlPlaneSession, connectionOption, connectToControlPlane } from '../connections/connect.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { Failure, usage } from '../failure.ts';
import { counted } from '../render/counted.ts';
import { logLine, statusMark } from '../render/deployments.ts';
import { findConfig } from '../workspace.ts';

interface DeployOptions {
  readonly config: string;
  readonly connection: string;
  readonly name?: string;
  readonly envFile?: string;
  readonly repo?: string;
  readonly ref?: string;
  readonly type?: string;
  readonly buildOnPush?: boolean;
  readonly wait?: true;
  readonly json?: true;
  readonly dataDir?: string;
}

export function deployCommand(context: Context): Command {
  return new Command('deploy')
    .description('deploy the agent of a langgraph.json, as a new deployment or as a new revision of it')
    .addOption(configOption())
    .option('--name <name>', "the deployment's name (default: $LANGSMITH_DEPLOYMENT_NAME, or the folder's)")
    .addOption(connectionOption())
    .option('--env-file <file>', 'variables of the deployment (default: what langgraph.json names, or .env)')
    .option(
      '--repo <url>',
      'deploy this git repository (https, ssh, file) instead of the folder as it stands',
    )
    .option('--ref <ref>', 'branch, refs/tags/… or commit of --repo')
    .option('--type <type>', 'deployment type of a new deployment, such as dev or prod')
    .option('--build-on-push', 'make a new revision whenever the branch of --repo is pushed to')
    .option('--no-build-on-push', 'stop doing that')
    .option(
      '--wait',
      'stay until the revision is live, showing its build log; exit 1 with the reason when it fails',
    )
    .addOption(dataDirOption())
    .option('--json', 'print one line of JSON at the end; what goes on goes to standard error')
    .action((options: DeployOptions) => deploy(context, options));
}

async function deploy(context: Context, options: DeployOptions): Promise<void> {
  const { terminal, environment, interrupted: signal } = context;
  if (options.ref !== undefined && options.repo === undefined) {
    throw usage('--ref names a branch, tag or commit of --repo; the folder is deployed as it stands.');
  }
  const configPath = await findConfig(options.config);
  const state = await readGitState(configPath);
  const found = await findSecrets(configPath, options.envFile);
  if (found !== undefined) {
    terminal.note(
      `Variables from ${found.file}: ${found.secrets.map(({ name }) => name).join(', ') || 'none'}.`,
    );
    if (found.reserved.length > 0)
      terminal.note(`Left out, since the platform sets them: ${found.reserved.join(', ')}.`);
  }
  await using session = await connectToControlPlane(context, options);
  const local = session.place === 'local';
  const what = state.commit === undefined ? 'outside git' : `at ${state.commit.slice(0, 12)}`;
  const changes = state.changed === 0 ? '' : `, with ${counted(state.changed, 'uncommitted change')}`;
  if (options.repo === undefined) {
    terminal.note(`Deploying ${state.top} ${what}${changes}.`);
    const left = await linksLeadingOut(state.top);
    if (left.length > 0)
      terminal.note(`Left out, since they link to a place outside the folder: ${left.join(', ')}.`);
  }
  const { deployment, created } = await createOrUpdate(
    session.client,
    context.dispatcher,
    {
      name: options.name ?? environment.LANGSMITH_DEPLOYMENT_NAME ?? defaultName(state),
      state,
      local,
      repository: options.repo === undefined ? undefined : { url: options.repo, ref: options.ref },
      type: options.type,
      buildOnPush: options.buildOnPush,
      secrets: found?.secrets,
    },
    signal,
  );
  terminal.note(`${created ? 'Created' : 'Updated'} '${deployment.name}' (${deployment.id}).`);
  await finishRevision(context, session, deployment, options);
}

/** Waits for the newest revision when asked to, and says how it ended. */
export async function finishRevision(
  { terminal, interrupted: signal }: Context,
  { client, place }: ControlPlaneSession,
  deployment: Deployment,
  options: { readonly wait?: true; readonly json?: true },
): Promise<void> {
  const params = { deployment_id: deployment.id, revision_id: deployment.latest_revision_id ?? '' };
  const result = { deployment_id: deployment.id, revision_id: params.revision_id, name: deployment.name };
  if (!options.wait) {
    if (options.json) terminal.line(JSON.stringify(result));
    else terminal.line(params.revision_id);
    return;
  }
  const colors = terminal.errorColors;
  try {
    const { status } = await followRevision(
      client,
      params,
      {
        status: (revision) => terminal.note(statusMark(revision.status, colors)),
        line: (entry) => terminal.note(logLine(entry, colors)),
      },
      signal,
    );
    const { source_config } = await client.deployments.get({ params }, { signal });
    const url = source_config.custom_url ?? null;
    if (options.json) terminal.line(JSON.stringify({ ...result, status, deployment_url: url }));
    else terminal.line(url ?? params.revision_id);
    if (place === 'local')
      terminal.note('It is served while Agent Harbor runs; agent-harbor serve keeps it running.');
  } catch (error) {
    if (signal.aborted) terminal.note('Stopped waiting; the revision goes on.');
    if (!(error instanceof RevisionFailedError)) throw error;
    const { status, status_message: reason } = error.revision;
    if (options.json) terminal.line(JSON.stringify({ ...result, status, reason: reason ?? null }));
    // What follows the sentence is the end of the log, which stands above.
    const [sentence = ''] = error.message.split('\n');
    throw new Failure(status === 'BUILD_FAILED' ? sentence : error.message, EXIT.failed);
  }
}
