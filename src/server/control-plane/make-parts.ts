import { RememberedTool } from '../../containers/remembered-tool.ts';
import { BuildSandbox } from '../runtimes/isolation/build-sandbox.ts';
import { SandboxHost } from '../runtimes/isolation/sandbox-host.ts';
import { Sandboxes } from '../runtimes/isolation/sandboxes.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import { Builder } from './builds/builder.ts';
import { CommandRunner } from './builds/command-runner.ts';
import { DiskLimit, readDiskLimitMb } from './builds/disk-limit.ts';
import { ImageBuilder } from './builds/image-builder.ts';
import { SandboxedRunner } from './builds/sandboxed-runner.ts';
import { Uploads } from './builds/uploads.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { DeploymentStore } from './data/deployment-store.ts';
import { LogStore } from './data/log-store.ts';
import { RevisionStore } from './data/revision-store.ts';
import { Deployments } from './deployments/deployments.ts';
import type { Follower } from './deployments/follower.ts';
import { ImageServing } from './images/image-serving.ts';
import { GithubApi } from './integrations/github-api.ts';
import { GithubIntegrations } from './integrations/github-integrations.ts';
import { NewRevisions } from './revisions/new-revisions.ts';
import { Pruning } from './revisions/pruning.ts';
import { PushWatcher } from './revisions/push-watcher.ts';
import { RevisionPipeline } from './revisions/revision-pipeline.ts';
import { RevisionSources } from './revisions/revision-sources.ts';
import { RevisionSteps } from './revisions/revision-steps.ts';
import { RevisionWork } from './revisions/revision-work.ts';
import { DeploymentKeys } from './secrets/deployment-keys.ts';
import { maskOf } from './secrets/mask.ts';
import type { SecretBox } from './secrets/secret-box.ts';
import { SecretStore } from './secrets/secret-store.ts';
import { buildAgain } from './serving/build-again.ts';
import { DeploymentServers } from './serving/deployment-servers.ts';
import { DrainingRevisions } from './serving/draining-revisions.ts';
import { IsolationPolicy } from './serving/isolation-policy.ts';

/** The parts of a control plane. */
export interface ControlPlaneParts {
  readonly box: SecretBox;
  readonly stores: ControlPlaneStores;
  readonly github: GithubIntegrations;
  readonly servers: DeploymentServers;
  readonly draining: DrainingRevisions;
  readonly pipeline: RevisionPipeline;
  readonly newRevisions: NewRevisions;
  readonly watcher: PushWatcher;
  readonly deployments: Deployments;
  readonly sources: RevisionSources;
  /** Serves deployments of other servers; undefined if there are none. */
  readonly follower: Follower | undefined;
}

/** The stores of deployments. */
interface ControlPlaneStores {
  readonly db: StateDatabase;
  readonly deployments: DeploymentStore;
  readonly revisions: RevisionStore;
  readonly secrets: SecretStore;
  readonly logs: LogStore;
  readonly uploads: Uploads;
}

/** The parts that run programs on this machine. */
interface MachineParts {
  readonly runner: CommandRunner;
  readonly tools: RememberedTool;
  readonly isolation: IsolationPolicy;
  readonly sandboxHost: SandboxHost;
}

/** Creates the parts of a control plane in dependency order. */
export function makeParts(options: ControlPlaneOptions, box: SecretBox): ControlPlaneParts {
  const { host, db, identity, serving, builds, team } = options;
  const { environment, logger, changes, meters } = host;
  const tools = new RememberedTool(environment);
  const machine: MachineParts = {
    runner: new CommandRunner(builds.buildGuard),
    tools,
    isolation: new IsolationPolicy(environment),
    sandboxHost: new SandboxHost(host.dataDir, tools),
  };
  const { runner, isolation } = machine;
  const shared = team?.store;
  const builder = makeBuilder(options, machine);
  const stores = makeStores(options, box, builder);
  const { revisions, logs, uploads } = stores;
  const keys = new DeploymentKeys(identity, box);
  const github = new GithubIntegrations(db, box, new GithubApi(builds.githubApi));
  const servers = makeServers(options, machine, { builder, stores, keys });
  const draining = new DrainingRevisions({
    db,
    revisions,
    deployments: stores.deployments,
    servers,
    logs,
    changes,
    meters,
    logger,
  });
  const pruning = new Pruning({ db, revisions, builder, uploads, shared });
  const steps = new RevisionSteps({ db, revisions, deployments: stores.deployments, changes });
  const forRevisions = { revisions, steps, deployments: stores.deployments, builder, pruning, logger };
  const pipeline = new RevisionPipeline({
    ...forRevisions,
    db,
    work: new RevisionWork({ ...forRevisions, bus: db.bus, servers, integrations: github, logs, meters }),
    builds: team?.builds ?? true,
  });
  const newRevisions = new NewRevisions({ db, deployments: stores.deployments, revisions, pipeline });
  const watcher = new PushWatcher({
    newRevisions,
    store: stores.deployments,
    revisions,
    runner,
    environment,
    logger,
    duties: db.duties,
  });
  const deployments = new Deployments({
    db,
    stores,
    revisions: { newRevisions, pipeline, watcher },
    serving: { agents: serving.agents, built: servers, folders: serving.folders },
    builder,
    tools,
    isolation,
    keys,
    projects: options.projects,
    changes,
    checkSourceKind: (source) => options.checkSourceKind(source),
    agentUrl: team?.agentUrl,
  });
  const follower = team?.follow({ db, deployments, stores, servers, pipeline, builder, pruning, logger });
  const sources = new RevisionSources({ builder, runner, shared, environment });
  return {
    box,
    stores,
    github,
    servers,
    draining,
    pipeline,
    newRevisions,
    watcher,
    deployments,
    sources,
    follower,
  };
}

function makeBuilder(
  { host, builds, team }: ControlPlaneOptions,
  { runner, tools, isolation, sandboxHost }: MachineParts,
): Builder {
  const { dataDir, environment } = host;
  const diskLimitMb = readDiskLimitMb(environment);
  return new Builder({
    dataDir,
    runner,
    images: new ImageBuilder(tools, runner),
    shared: team?.store,
    environment,
    installTimeoutMs: builds.installTimeoutMs,
    isIsolated: (config) => isolation.isolates(config),
    openSandbox: async (deploymentId, places) => {
      const sandbox = await BuildSandbox.open(sandboxHost, environment, { deploymentId, ...places });
      return new SandboxedRunner(runner, sandbox, new DiskLimit([places.folder, places.home], diskLimitMb));
    },
  });
}

function makeStores(
  { host, db, secretNames, team }: ControlPlaneOptions,
  box: SecretBox,
  builder: Builder,
): ControlPlaneStores {
  const baseUrl = team === undefined ? host.baseUrl : () => team.url;
  return {
    db,
    deployments: new DeploymentStore(db),
    revisions: new RevisionStore(db),
    secrets: new SecretStore(db, box, secretNames),
    logs: new LogStore(db, host.logger, maskOf(host.ownKeys)),
    uploads: new Uploads({ db, builder, shared: team?.store, baseUrl }),
  };
}

function makeServers(
  { host, organizationId, serving, builds, team }: ControlPlaneOptions,
  { runner, tools, isolation, sandboxHost }: MachineParts,
  parts: {
    readonly builder: Builder;
    readonly stores: ControlPlaneStores;
    readonly keys: DeploymentKeys;
  },
): DeploymentServers {
  const { dataDir, environment, logger, baseUrl, ownKeys } = host;
  const { builder, stores, keys } = parts;
  const { logs } = stores;
  const sandboxes = new Sandboxes({
    host: sandboxHost,
    environment,
    guard: builds.buildGuard,
    noteConnection: (made) => host.containerConnections.note(made),
    allowedPorts: (deploymentId) =>
      [baseUrl(), serving.agents.urlOf(deploymentId)].flatMap((url) =>
        url === undefined ? [] : Number(new URL(url).port),
      ),
  });
  return new DeploymentServers({
    organizationId,
    agents: serving.agents,
    images: new ImageServing({
      dataDir,
      environment,
      tools,
      runner,
      logger,
      sleepAfterMs: serving.sleepAfterMs,
      accessTo: serving.accessTo,
    }),
    deployments: stores.deployments,
    revisions: stores.revisions,
    builder,
    secrets: stores.secrets,
    keys,
    logs,
    ownKeys,
    logger,
    environment,
    isolation,
    sandboxes,
    agentUrl: team?.agentUrl,
    buildAgain:
      team === undefined ? undefined : (revision, signal) => buildAgain({ builder, logs }, revision, signal),
    controlPlaneUrl: baseUrl,
    makeAgentServer: serving.makeAgentServer,
  });
}
