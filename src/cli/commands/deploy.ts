import { Command, Option } from 'commander';
import { listDeployments } from '../../client/list-deployments.ts';
import type { Deployment } from '../../contract/control-plane/deployments.ts';
import { Isolation } from '../../contract/control-plane/sources.ts';
import { createOrUpdate, defaultName, defaultNameOfImage } from '../../deploy/create-or-update.ts';
import { isServedInPlace } from '../../deploy/find-deployment.ts';
import type { WantedSource } from '../../deploy/wanted-source.ts';
import { formatCount } from '../../process/format-count.ts';
import { type GitState, readGitState } from '../../project/git-state.ts';
import { type FoundSecrets, findSecrets, readSecrets } from '../../project/secrets.ts';
import { findLinksLeadingOut } from '../../project/source-files.ts';
import {
  configOption,
  coresArgument,
  dataDirOption,
  drainMinutesArgument,
  megabytesArgument,
} from '../arguments/arguments.ts';
import {
  type ControlPlaneSession,
  connectionOption,
  connectToControlPlane,
  firstSet,
} from '../connections/connect.ts';
import { finishRevision } from '../folders/finish-revision.ts';
import { findConfig } from '../folders/open-folder.ts';
import { placeInRepository } from '../folders/place-in-repository.ts';
import type { Context } from '../terminal/context.ts';
import { usage } from '../terminal/failure.ts';

/** How long runs may take to end on an earlier revision, by default. */
const DEFAULT_DRAIN_MINUTES = 60;

interface DeployOptions {
  readonly config: string;
  readonly connection: string;
  readonly name?: string;
  readonly env?: string;
  readonly envFile?: string;
  readonly repo?: string;
  readonly image?: string;
  readonly ref?: string;
  readonly type?: string;
  readonly buildOnPush?: boolean;
  readonly isolation?: Isolation;
  readonly record?: boolean;
  /** How long to drain, in minutes; true for the default, false to not drain. */
  readonly drain?: number | boolean;
  readonly cpu?: number;
  readonly memory?: number;
  readonly wait?: true;
  readonly json?: true;
  readonly dataDir?: string;
}

export function deployCommand(context: Context): Command {
  return (
    new Command('deploy')
      .description('create a deployment of the agent of a langgraph.json, or a new revision if it exists')
      .addOption(configOption())
      .option(
        '--name <name>',
        'name of the deployment (default: $LANGSMITH_DEPLOYMENT_NAME, or the folder name)',
      )
      .addOption(connectionOption())
      // Node reads the file of --env-file itself, so this option exists only to be refused.
      .addOption(new Option('--env-file <file>').hideHelp())
      .option(
        '--env <file>',
        'file with environment variables (default: env of langgraph.json; without it, .env)',
      )
      .option(
        '--repo <url>',
        'deploy this git repository (https, ssh or file URL) instead of the folder; --config is then a path in it',
      )
      .option('--image <name>', 'deploy this container image instead of the folder')
      .option('--ref <ref>', 'branch, refs/tags/… or commit of --repo')
      .option('--type <type>', 'type of a new deployment, such as dev or prod')
      .addOption(
        new Option(
          '--isolation <kind>',
          "run its graphs and builds as processes on the server's machine, or each in a container",
        ).choices(Isolation.options),
      )
      .option('--record', 'record the answers of models and tools in its runs, unless a run says otherwise')
      .option('--no-record', 'stop recording its runs')
      .option(
        '--drain [minutes]',
        `let runs finish on the revision on which they started, for at most this long after a new one is deployed (default: ${DEFAULT_DRAIN_MINUTES})`,
        drainMinutesArgument,
      )
      .option('--no-drain', 'let runs that are restarted continue on the newest revision')
      .option('--cpu <cores>', 'maximum number of cores for its container, such as 1.5', coresArgument)
      .option('--memory <mb>', 'maximum memory for its container, in MB; 0 for no limit', megabytesArgument)
      .option('--build-on-push', 'create a revision on every push to the branch of --repo')
      .option('--no-build-on-push', 'stop creating revisions on push')
      .option(
        '--wait',
        'wait until the revision is deployed, and show its build log; exit with 1 if it fails',
      )
      .addOption(dataDirOption())
      .option('--json', 'print one line of JSON at the end, and progress to standard error')
      .action((options: DeployOptions) => deploy(context, options))
  );
}

/** Refuses options that exclude or need each other, and `--env-file`. @throws Failure */
function checkCombination(options: DeployOptions): void {
  if (options.ref !== undefined && options.repo === undefined) {
    throw usage('--ref needs --repo. Without --repo, the folder is deployed as it is.');
  }
  if (options.buildOnPush === true && options.repo === undefined) {
    throw usage('--build-on-push needs --repo, the repository whose branch is watched.');
  }
  if (options.envFile !== undefined) {
    throw usage(`Use --env ${options.envFile} instead. Node itself reads the file of --env-file.`);
  }
  if (options.image !== undefined && options.repo !== undefined) {
    throw usage('Use either --image or --repo.');
  }
  if (options.image !== undefined && options.isolation !== undefined) {
    throw usage('Use either --image or --isolation. An image always runs in a container.');
  }
  if (options.image !== undefined && options.record !== undefined) {
    throw usage('Use either --image or --record. An image has a server of its own.');
  }
  if (options.image !== undefined && options.drain !== undefined) {
    throw usage('Use either --image or --drain. Runs of an image end in its container.');
  }
}

async function deploy(context: Context, options: DeployOptions): Promise<void> {
  const { terminal, environment, interrupted: signal } = context;
  checkCombination(options);
  const source = await readSource(options);
  const { state, found } = source;
  if (found !== undefined) {
    terminal.note(
      `Variables from ${found.file}: ${found.secrets.map(({ name }) => name).join(', ') || 'none'}.`,
    );
    if (found.reserved.length > 0)
      terminal.note(`Not included (set by the platform): ${found.reserved.join(', ')}.`);
  }
  await using session = await connectToControlPlane(context, options);
  const isLocal = session.place === 'local';
  if (state !== undefined) await announce(context, state);
  const { deployment, created } = await createOrUpdate(
    session.client,
    context.dispatcher,
    {
      name: options.name ?? firstSet(environment.LANGSMITH_DEPLOYMENT_NAME) ?? source.defaultName,
      source: source.makeSource(isLocal),
      type: options.type,
      buildOnPush: options.buildOnPush,
      isolation: options.isolation,
      record: options.record,
      drainMinutes: drainMinutesOf(options.drain),
      limits: {
        ...(options.cpu === undefined ? {} : { cpu_limit: options.cpu }),
        ...(options.memory === undefined ? {} : { memory_limit_mb: options.memory }),
      },
      secrets: found?.secrets,
    },
    signal,
  );
  terminal.note(`${created ? 'Created' : 'Updated'} '${deployment.name}' (${deployment.id}).`);
  if (created && isLocal) await noteClash(context, session, deployment);
  await finishRevision(context, session, deployment, options);
}

function drainMinutesOf(drain: number | boolean | undefined): number | undefined {
  if (typeof drain !== 'boolean') return drain;
  return drain ? DEFAULT_DRAIN_MINUTES : 0;
}

/** Notes that the agent of a folder has the name of the new deployment, too. */
async function noteClash(
  { terminal, interrupted: signal }: Context,
  { client }: ControlPlaneSession,
  { id, name }: Deployment,
): Promise<void> {
  const all = await listDeployments(client, name, signal);
  const clash = all.some((other) => other.id !== id && other.name === name && isServedInPlace(other));
  if (!clash) return;
  terminal.note(
    `The agent of a folder has this name too. '${name}' now means the deployment; without --deployment, commands still use the folder.`,
  );
}

/** The source to deploy, as far as it is known before the platform is connected. */
interface Source {
  /** @param isLocal whether the platform is on this machine */
  makeSource(isLocal: boolean): WantedSource;
  readonly defaultName: string;
  /** The git state of the folder; undefined for a repository or an image, which the platform fetches. */
  readonly state: GitState | undefined;
  /** The variables to deploy; undefined leaves those of the deployment unchanged. */
  readonly found: FoundSecrets | undefined;
}

/** Reads the source to deploy. A repository or an image does not get the variables of this folder's env file. */
async function readSource({ config, repo, ref, image, env }: DeployOptions): Promise<Source> {
  const given = async () => (env === undefined ? undefined : await readSecrets(env));
  if (image !== undefined) {
    const makeSource = () => ({ kind: 'image', image }) as const;
    return { makeSource, defaultName: defaultNameOfImage(image), state: undefined, found: await given() };
  }
  if (repo !== undefined) {
    const place = await placeInRepository(repo, config);
    const makeSource = () => ({ kind: 'repository', place, url: repo, ref }) as const;
    return { makeSource, defaultName: defaultName(place), state: undefined, found: await given() };
  }
  const configPath = await findConfig(config);
  const state = await readGitState(configPath);
  const makeSource = (isLocal: boolean) => ({ kind: 'folder', place: state, isLocal }) as const;
  return { makeSource, defaultName: defaultName(state), state, found: await findSecrets(configPath, env) };
}

async function announce(
  { terminal }: Context,
  { top, commit, changed, isRepository }: GitState,
): Promise<void> {
  const outside = isRepository ? ' (no commit yet)' : ' (not in a git repository)';
  const what = commit === undefined ? outside : ` at ${commit.slice(0, 12)}`;
  const changes = changed === 0 ? '' : `, with ${formatCount(changed, 'uncommitted change')}`;
  terminal.note(`Deploying ${top}${what}${changes}.`);
  const excluded = await findLinksLeadingOut(top);
  if (excluded.length > 0)
    terminal.note(`Not included (links to a place outside the folder): ${excluded.join(', ')}.`);
}
