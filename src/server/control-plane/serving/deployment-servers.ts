import type { AgentServer, GraphsAtStart } from '../../agent-server/agent-server.ts';
import type { AgentServers } from '../../agent-server/agent-servers.ts';
import type { ServedDeployment } from '../../agent-server/served-deployment.ts';
import type { Logger } from '../../logger.ts';
import { RollOutError } from '../../runtimes/runtime-errors.ts';
import type { RuntimeSource } from '../../runtimes/runtime-source.ts';
import { runtimeBase } from '../builds/base-environment.ts';
import type { Build, Builder } from '../builds/builder.ts';
import type { DeploymentKeys } from '../deployments/deployment-keys.ts';
import type { DeploymentRow, DeploymentStore } from '../deployments/deployment-store.ts';
import { readSourceConfig } from '../deployments/deployment-wire.ts';
import type { LogStore } from '../logs/log-store.ts';
import type { RevisionRow, RevisionStore } from '../revisions/revision-store.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { DeploymentOutput } from './deployment-output.ts';

export interface DeploymentServersOptions {
  /** The organization of every deployment. */
  readonly organizationId: string;
  readonly agents: AgentServers;
  readonly deployments: DeploymentStore;
  readonly revisions: RevisionStore;
  readonly builder: Builder;
  readonly secrets: SecretStore;
  readonly keys: DeploymentKeys;
  readonly logs: LogStore;
  readonly logger: Logger;
  /** The server's own environment. */
  readonly environment: NodeJS.ProcessEnv;
  /** The control plane's address, which graphs ask for tokens of OAuth providers. */
  controlPlaneUrl(): string;
  makeAgentServer(deployment: ServedDeployment): AgentServer;
}

/** Serves built deployments, each at its own stable URL. */
export class DeploymentServers {
  readonly #options: DeploymentServersOptions;
  /** The output of each deployment that is served. */
  readonly #outputs = new Map<string, DeploymentOutput>();

  constructor(options: DeploymentServersOptions) {
    this.#options = options;
  }

  /** Serves all deployments again; graphs load on first use. */
  async resume(): Promise<void> {
    const { deployments, revisions, logger } = this.#options;
    for (const deployment of await deployments.allBuilt()) {
      if (deployment.active_revision_id === null || deployment.status === 'AWAITING_DELETE') continue;
      try {
        const revision = await revisions.find(deployment.id, deployment.active_revision_id);
        if (revision !== undefined) await this.#resume(deployment, revision);
      } catch (error) {
        logger.error({ err: error, deployment_id: deployment.id }, 'could not serve a deployment again');
      }
    }
  }

  /**
   * Switches to a revision once its graphs have loaded and answer; until then the previous one is served.
   * @throws RollOutError with the reason, and then nothing has changed; the signal's reason when aborted.
   */
  async rollOut(
    deployment: DeploymentRow,
    revision: RevisionRow,
    build: Build,
    signal: AbortSignal,
  ): Promise<void> {
    const secrets = await this.#options.secrets.read(revision.secret_set_id);
    const source = this.#sourceOf(deployment, revision, build, secrets);
    const agentServer = this.#options.agents.find(deployment.id);
    const output = this.#outputs.get(deployment.id) ?? this.#makeOutput(deployment);
    const back = output.begin(revision.id, Object.values(secrets));
    try {
      if (agentServer !== undefined) await agentServer.rollOut(source, signal);
      else await this.#serveFirst(deployment, source, output, signal);
      output.log.write('INFO', `Revision ${revision.id} is deployed.`);
    } catch (error) {
      back();
      if (error instanceof RollOutError) {
        throw new RollOutError(output.shown(error.message), { isLogged: error.isLogged });
      }
      throw error;
    }
  }

  /** Stops serving; what is stored stays. */
  async close(deploymentId: string): Promise<void> {
    this.#outputs.delete(deploymentId);
    await this.#options.agents.stop(deploymentId);
  }

  async #resume(deployment: DeploymentRow, revision: RevisionRow): Promise<void> {
    const { builder, secrets } = this.#options;
    const build =
      revision.build_key === null ? undefined : await builder.find(deployment.id, revision.build_key);
    if (build === undefined) throw new Error('The build of the active revision no longer exists.');
    const values = await secrets.read(revision.secret_set_id);
    const output = this.#makeOutput(deployment);
    output.begin(revision.id, Object.values(values));
    const source = this.#sourceOf(deployment, revision, build, values);
    await this.#serve(deployment, this.#makeServer(deployment, source, output), output, 'asleep');
  }

  async #serveFirst(
    deployment: DeploymentRow,
    source: RuntimeSource,
    output: DeploymentOutput,
    signal: AbortSignal,
  ): Promise<void> {
    const agentServer = this.#makeServer(deployment, source, output);
    try {
      await agentServer.rollOut(source, signal);
    } catch (error) {
      await agentServer.stop();
      throw error;
    }
    await this.#serve(deployment, agentServer, output, 'loaded');
  }

  #makeOutput({ id }: DeploymentRow): DeploymentOutput {
    const { logs, builder } = this.#options;
    return new DeploymentOutput(logs, id, builder.folder(id).builds);
  }

  #makeServer(deployment: DeploymentRow, source: RuntimeSource, { log }: DeploymentOutput): AgentServer {
    const { keys, organizationId, makeAgentServer } = this.#options;
    return makeAgentServer({
      id: deployment.id,
      organizationId,
      workspaceId: deployment.workspace_id,
      name: deployment.name,
      source,
      log,
      tracingKey: keys.read(deployment),
      requiresKey: () => true,
      onRuntimeState: () => {},
    });
  }

  /** Uses the previous port; if it is in use, another one, which is then kept. */
  async #serve(
    deployment: DeploymentRow,
    agentServer: AgentServer,
    output: DeploymentOutput,
    graphs: GraphsAtStart,
  ): Promise<void> {
    const { agents, deployments } = this.#options;
    const { id, port: before } = deployment;
    await agents.start(id, agentServer, { port: before ?? 0, whenTaken: 'another', graphs });
    this.#outputs.set(id, output);
    const port = agentServer.port ?? null;
    if (port !== before) await deployments.update(id, { port });
  }

  #sourceOf(
    deployment: DeploymentRow,
    revision: RevisionRow,
    build: Build,
    secrets: Readonly<Record<string, string>>,
  ): RuntimeSource {
    const { repo_url: url } = readSourceConfig(revision.source_config);
    return {
      configPath: build.configPath,
      python: build.python,
      deployed: {
        inherited: runtimeBase(this.#options.environment),
        env: {
          ...secrets,
          LANGSMITH_DEPLOYMENT_NAME: deployment.name,
          LANGSMITH_HOST_PROJECT_ID: deployment.id,
          LANGSMITH_HOST_PROJECT_NAME: deployment.name,
          LANGSMITH_HOST_REVISION_ID: revision.id,
          LANGSMITH_TENANT_ID: deployment.workspace_id,
          LANGSMITH_API_URL: `${this.#options.controlPlaneUrl()}/api-host`,
          ...(url == null ? {} : { LANGSMITH_LANGGRAPH_GIT_REPO: url }),
          ...(build.commit === null ? {} : { LANGSMITH_LANGGRAPH_GIT_REF_SHA: build.commit }),
        },
      },
    };
  }
}
