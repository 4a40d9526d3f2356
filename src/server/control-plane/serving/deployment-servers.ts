import { messageOf } from '../../../process/message-of.ts';
import type { AgentServer, GraphsAtStart } from '../../agent-server/agent-server.ts';
import type { AgentServers, ServedAgent } from '../../agent-server/agent-servers.ts';
import type { ServedDeployment } from '../../agent-server/served-deployment.ts';
import { KeyedMutex } from '../../keyed-mutex.ts';
import type { Logger } from '../../logger.ts';
import type { RuntimeSource } from '../../runtimes/generations/runtime-source.ts';
import type { Sandboxes } from '../../runtimes/isolation/sandboxes.ts';
import type { LaunchRuntime } from '../../runtimes/process/launch-runtime.ts';
import { RollOutError } from '../../runtimes/process/runtime-errors.ts';
import { runtimeBase } from '../builds/base-environment.ts';
import type { Build } from '../builds/build.ts';
import type { Builder } from '../builds/builder.ts';
import type { DeploymentRow, DeploymentStore } from '../data/deployment-store.ts';
import { readSourceConfig } from '../data/deployment-wire.ts';
import type { LogStore } from '../data/log-store.ts';
import { limitsOf } from '../data/resource-limits.ts';
import type { RevisionRow, RevisionStore } from '../data/revision-store.ts';
import type { ImageServing } from '../images/image-serving.ts';
import type { DeploymentKeys } from '../secrets/deployment-keys.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { type BuiltRevision, deploymentEnvironment } from './deployment-environment.ts';
import { DeploymentOutput } from './deployment-output.ts';
import { drainUntil } from './drain-until.ts';
import { imageLaunchOf } from './image-launch.ts';
import type { IsolationPolicy } from './isolation-policy.ts';
import { KeptRevisions } from './kept-revisions.ts';

export interface DeploymentServersOptions {
  /** The organization of every deployment. */
  readonly organizationId: string;
  readonly agents: AgentServers;
  readonly images: ImageServing;
  readonly deployments: DeploymentStore;
  readonly revisions: RevisionStore;
  readonly builder: Builder;
  readonly secrets: SecretStore;
  readonly keys: DeploymentKeys;
  readonly logs: LogStore;
  /** The keys of the machine, which logs must not show. */
  readonly ownKeys: readonly string[];
  readonly logger: Logger;
  readonly isolation: IsolationPolicy;
  readonly sandboxes: Sandboxes;
  /** The address of a deployment on any server of a team; undefined without a team. */
  readonly agentUrl: ((deploymentId: string) => string) | undefined;
  /** Fetches or repeats a build that another server has made; undefined if there are no other servers. */
  readonly buildAgain?: ((revision: RevisionRow, signal: AbortSignal) => Promise<Build>) | undefined;
  /** The server's own environment. */
  readonly environment: NodeJS.ProcessEnv;
  /** The control plane's address, which graphs ask for tokens of OAuth providers. */
  controlPlaneUrl(): string;
  makeAgentServer(deployment: ServedDeployment): AgentServer;
}

/** A deployment that is served. */
interface Served {
  readonly server: ServedAgent;
  readonly output: DeploymentOutput;
  revisionId?: string;
  /** Earlier revisions on which runs may still end; undefined for an image. */
  readonly kept?: KeptRevisions;
  /** Switches to a revision. @throws RollOutError without any change; the signal's reason when aborted. */
  rollOut(next: BuiltRevision, signal: AbortSignal): Promise<void>;
}

/** Serves built deployments, each at its own stable URL. */
export class DeploymentServers {
  readonly #options: DeploymentServersOptions;
  readonly #served = new Map<string, Served>();
  /** Locks by deployment, because two servers for the same deployment would both execute its runs. */
  readonly #mutex = new KeyedMutex();

  constructor(options: DeploymentServersOptions) {
    this.#options = options;
  }

  /** The IDs of the served deployments. */
  get ids(): string[] {
    return [...this.#served.keys()];
  }

  /** The served revision of a deployment. */
  revisionOf(deploymentId: string): string | undefined {
    return this.#served.get(deploymentId)?.revisionId;
  }

  /** Serves all deployments again; graphs load on first use. */
  async resume(): Promise<void> {
    const { deployments, revisions, images, logs, logger } = this.#options;
    const all = await deployments.listBuilt();
    if (all.some(isOfImage)) await images.tryRemoveLeftovers();
    for (const deployment of all) {
      if (deployment.active_revision_id === null || deployment.status === 'AWAITING_DELETE') continue;
      try {
        const revision = await revisions.find(deployment.id, deployment.active_revision_id);
        if (revision !== undefined) await this.#wake(deployment, revision);
      } catch (error) {
        logger.error({ err: error, deployment_id: deployment.id }, 'could not serve a deployment again');
        const place = { deploymentId: deployment.id, revisionId: deployment.active_revision_id };
        logs.write({ ...place, stream: 'deploy' }, 'ERROR', `Not served: ${messageOf(error)}`);
      }
    }
  }

  /**
   * Switches to a revision once it has loaded and responds; until then, the previous one is served.
   * @throws RollOutError with the reason, without any change; the signal's reason when aborted.
   */
  rollOut(
    deployment: DeploymentRow,
    revision: RevisionRow,
    build: Build,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#mutex.run(deployment.id, () => this.#switchTo(deployment, revision, build, signal));
  }

  /**
   * Serves a build that another server has made.
   * @param isTried whether its graphs have already been loaded on this machine.
   * @param findDue called when earlier work on the deployment has ended; finds the deployment, or undefined if the
   * revision should no longer be served.
   * @returns whether the revision is now served.
   * @throws the errors of `rollOut`.
   */
  follow(
    revision: RevisionRow,
    { build, isTried }: { readonly build: Build; readonly isTried: boolean },
    findDue: () => Promise<DeploymentRow | undefined>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const id = revision.deployment_id;
    return this.#mutex.run(id, async () => {
      const deployment = await findDue();
      if (deployment === undefined) return false;
      // Graphs that this machine has not loaded yet are loaded first, because runs would fail if it cannot load them.
      const served = this.#served.get(id);
      if (isTried && served === undefined) await this.#wake(deployment, revision);
      else {
        const before = served?.revisionId;
        await this.#switchTo(deployment, revision, build, signal);
        // Runs may have begun here since another server replaced this revision.
        const until = drainUntil(deployment)?.toISOString();
        if (before !== undefined && until !== undefined && served?.kept?.hasRunsOf(before) === true)
          await this.#options.revisions.beginDraining(before, until);
      }
      return true;
    });
  }

  /** Stops serving a deleted deployment, and removes the stored data of its containers. */
  remove(deployment: Pick<DeploymentRow, 'id' | 'source'>): Promise<void> {
    const { id } = deployment;
    return this.#mutex.run(id, async () => {
      this.#served.delete(id);
      await this.#options.agents.stop(id);
      if (isOfImage(deployment)) await this.#options.images.removeVolumes(id);
    });
  }

  /** Keeps a draining revision if its deployment is served here. @param until in milliseconds since the epoch. */
  keepDraining(deploymentId: string, revisionId: string, until: number): void {
    this.#served.get(deploymentId)?.kept?.keepDraining(revisionId, until);
  }

  /** Whether this server has an unfinished run that began on a revision. */
  hasRunsOf(deploymentId: string, revisionId: string): boolean {
    return this.#served.get(deploymentId)?.kept?.hasRunsOf(revisionId) === true;
  }

  /** Ends revisions that are no longer draining; see `KeptRevisions.endDrained`. @returns whether some are left. */
  async endDrained(draining: ReadonlySet<string>): Promise<boolean> {
    let areLeft = false;
    for (const [deploymentId, { kept, revisionId }] of this.#served) {
      const hasStoredRuns = (id: string) => this.#options.revisions.hasRuns(deploymentId, id);
      if ((await kept?.endDrained(draining, revisionId, hasStoredRuns)) === true) areLeft = true;
    }
    return areLeft;
  }

  /** Finds the build of an earlier revision. @throws Error with the reason if it cannot be obtained. */
  async #findEarlier(
    deploymentId: string,
    revisionId: string,
    output: DeploymentOutput,
    signal: AbortSignal,
  ): Promise<RuntimeSource> {
    const { deployments, revisions, builder, secrets, buildAgain } = this.#options;
    const deployment = await deployments.get(deploymentId);
    const revision = await revisions.find(deploymentId, revisionId);
    if (deployment === undefined || revision === undefined) throw new Error('It no longer exists.');
    const build = (await builder.find(revision)) ?? (await buildAgain?.(revision, signal));
    if (build === undefined) throw new Error('Its build no longer exists.');
    const values = await secrets.read(revision.secret_set_id);
    output.alsoMask(Object.values(values));
    return this.#sourceOf(deployment, { revision, build, secrets: values });
  }

  /** Does the work of `rollOut`, while the deployment is locked. */
  async #switchTo(
    deployment: DeploymentRow,
    revision: RevisionRow,
    build: Build,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const secrets = await this.#options.secrets.read(revision.secret_set_id);
    const next = { revision, build, secrets };
    const served = this.#served.get(deployment.id);
    const output = served?.output ?? this.#makeOutput(deployment);
    const assignToPrevious = output.begin(revision.id, Object.values(secrets));
    try {
      if (served !== undefined) {
        await this.#replace(served, deployment, next, signal);
      } else await this.#serveFirst(deployment, next, output, signal);
      output.log.write('INFO', `Revision ${revision.id} is deployed.`);
    } catch (error) {
      assignToPrevious();
      if (error instanceof RollOutError) {
        throw new RollOutError(output.redact(error.message), { isLogged: error.isLogged });
      }
      throw error;
    }
  }

  /** Replaces the served revision. With `drain_minutes`, the earlier revision is kept for its runs. */
  async #replace(
    served: Served,
    deployment: DeploymentRow,
    next: BuiltRevision,
    signal: AbortSignal,
  ): Promise<void> {
    const { kept, revisionId: before } = served;
    const until = drainUntil(deployment);
    const drains = until !== undefined && before !== undefined && before !== next.revision.id;
    if (drains) kept?.keep(before, until.getTime());
    try {
      await served.rollOut(next, signal);
    } catch (error) {
      if (drains) await kept?.end(before);
      throw error;
    }
    served.revisionId = next.revision.id;
  }

  /** Serves a built revision; its graphs load on first use. @throws Error when its build is not on this machine. */
  async #wake(deployment: DeploymentRow, revision: RevisionRow): Promise<void> {
    const { builder, secrets } = this.#options;
    const values = await secrets.read(revision.secret_set_id);
    const output = this.#makeOutput(deployment);
    const findBuild = async (): Promise<BuiltRevision> => {
      const build = await builder.find(revision);
      if (build !== undefined) return { revision, build, secrets: values };
      throw new Error(
        isOfImage(revision)
          ? 'The image of the active revision is no longer on this machine. Redeploy the revision to pull it again.'
          : 'The build of the active revision no longer exists.',
      );
    };
    const served = isOfImage(revision)
      ? // The container tool may start after this server.
        this.#makeImageServer(deployment, findBuild, output)
      : this.#makeGraphServer(deployment, await findBuild(), output);
    output.begin(revision.id, Object.values(values));
    served.revisionId = revision.id;
    await this.#serve(deployment, served, 'asleep');
  }

  /** Serves the first revision of a deployment once its graphs have loaded. */
  async #serveFirst(
    deployment: DeploymentRow,
    first: BuiltRevision,
    output: DeploymentOutput,
    signal: AbortSignal,
  ): Promise<void> {
    const served = this.#make(deployment, first, output);
    try {
      await served.rollOut(first, signal);
    } catch (error) {
      await served.server.stop();
      throw error;
    }
    served.revisionId = first.revision.id;
    await this.#serve(deployment, served, 'loaded');
  }

  #makeOutput(deployment: DeploymentRow): DeploymentOutput {
    const { logs, builder, keys, ownKeys } = this.#options;
    const { id: deploymentId } = deployment;
    return new DeploymentOutput(logs, {
      deploymentId,
      builds: builder.folder(deploymentId).builds,
      ownKeys: [...ownKeys, keys.read(deployment)],
    });
  }

  /** @param first the revision to serve when the server is started. */
  #make(deployment: DeploymentRow, first: BuiltRevision, output: DeploymentOutput): Served {
    return first.build.kind === 'image'
      ? this.#makeImageServer(deployment, async () => first, output)
      : this.#makeGraphServer(deployment, first, output);
  }

  #makeGraphServer(deployment: DeploymentRow, first: BuiltRevision, output: DeploymentOutput): Served {
    const { keys, organizationId, makeAgentServer, agentUrl } = this.#options;
    const server = makeAgentServer({
      id: deployment.id,
      organizationId,
      workspaceId: deployment.workspace_id,
      name: deployment.name,
      source: this.#sourceOf(deployment, first),
      log: output.log,
      tracingKey: keys.read(deployment),
      requiresKey: () => true,
      publicUrl: agentUrl?.(deployment.id),
      onRuntimeState: () => {},
    });
    return {
      server,
      output,
      kept: new KeptRevisions(server, (revisionId, signal) =>
        this.#findEarlier(deployment.id, revisionId, output, signal),
      ),
      rollOut: (next, signal) => server.rollOut(this.#sourceOf(deployment, next), signal),
    };
  }

  /** @param findFirst finds the revision to serve until the first rollout; called before each start of its container. */
  #makeImageServer(
    deployment: DeploymentRow,
    findFirst: () => Promise<BuiltRevision>,
    output: DeploymentOutput,
  ): Served {
    const { images, keys, controlPlaneUrl } = this.#options;
    const tracing = { endpoint: controlPlaneUrl(), apiKey: keys.read(deployment), project: deployment.name };
    const server = images.makeServer(deployment, { log: output.log, tracing });
    const launch = (built: BuiltRevision) => imageLaunchOf(built, this.#environmentOf(deployment, built));
    server.prepare(async () => launch(await findFirst()));
    const rollOut = (next: BuiltRevision, signal: AbortSignal) => server.rollOut(launch(next), signal);
    return { server, output, rollOut };
  }

  /**
   * Starts listening: in a team on any port, otherwise on the deployment's previous one. If that port is in
   * use, listens on another one, and stores its number.
   */
  async #serve(deployment: DeploymentRow, served: Served, graphs: GraphsAtStart): Promise<void> {
    const { agents, deployments, revisions, agentUrl } = this.#options;
    const { id } = deployment;
    // Draining revisions must be kept before the runs of an earlier server are continued.
    for (const row of await revisions.listDraining(id))
      served.kept?.keepDraining(row.id, Date.parse(row.draining_until));
    // A port belongs to one machine, but in a team, all servers share the row.
    const before = agentUrl === undefined ? deployment.port : null;
    await agents.start(id, served.server, { port: before ?? 0, whenTaken: 'another', graphs });
    this.#served.set(id, served);
    const port = served.server.port ?? null;
    if (port !== before && agentUrl === undefined) await deployments.update(id, { port });
  }

  #sourceOf(deployment: DeploymentRow, built: BuiltRevision): RuntimeSource {
    const { build, revision } = built;
    const { environment } = this.#options;
    if (build.kind !== 'source') throw new Error(`Deployment ${deployment.id} is served from its graphs.`);
    return {
      configPath: build.configPath,
      python: build.python,
      deployed: {
        revisionId: revision.id,
        inherited: runtimeBase(environment),
        env: this.#environmentOf(deployment, built),
        launch: this.#launcherOf(revision, build.key),
        records: readSourceConfig(revision.source_config).record === true,
      },
    };
  }

  /**
   * The function that starts the graphs of a revision in a sandbox; undefined if they run in an ordinary
   * process.
   */
  #launcherOf(revision: RevisionRow, buildKey: string): LaunchRuntime | undefined {
    const { builder, isolation, sandboxes } = this.#options;
    const config = readSourceConfig(revision.source_config);
    if (!isolation.isolates(config)) return undefined;
    const places = builder.folder(revision.deployment_id);
    return sandboxes.launcherOf({
      deploymentId: revision.deployment_id,
      folder: places.build(buildKey),
      home: places.home,
      limits: limitsOf(config.resource_spec),
    });
  }

  #environmentOf(deployment: DeploymentRow, built: BuiltRevision): Record<string, string> {
    return deploymentEnvironment(deployment, built, this.#options.controlPlaneUrl());
  }
}

function isOfImage({ source }: Pick<DeploymentRow, 'source'>): boolean {
  return source === 'external_docker';
}
