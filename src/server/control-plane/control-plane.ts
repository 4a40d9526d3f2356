import { bearerTokens as bearerTokenEndpoints } from '../../contract/control-plane/bearer-tokens.ts';
import { deployments as deploymentEndpoints } from '../../contract/control-plane/deployments.ts';
import {
  integrations as integrationEndpoints,
  ownIntegrations as ownIntegrationEndpoints,
} from '../../contract/control-plane/integrations.ts';
import { listeners as listenerEndpoints } from '../../contract/control-plane/listeners.ts';
import { logs as logEndpoints } from '../../contract/control-plane/logs.ts';
import { revisions as revisionEndpoints } from '../../contract/control-plane/revisions.ts';
import { pushWebhooks as pushWebhookEndpoints } from '../../contract/control-plane/webhooks.ts';
import { workspaceSecrets as workspaceSecretEndpoints } from '../../contract/control-plane/workspace-secrets.ts';
import type { AgentServer } from '../agent-server/agent-server.ts';
import type { AgentServers } from '../agent-server/agent-servers.ts';
import type { ServedDeployment } from '../agent-server/served-deployment.ts';
import type { OpenFolders } from '../folders/open-folders.ts';
import type { ChangeFeed } from '../http/change-feed.ts';
import type { Router } from '../http/router.ts';
import type { Identity } from '../identity/identity.ts';
import type { Logger } from '../logger.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import { Builder } from './builds/builder.ts';
import { CommandRunner } from './builds/command-runner.ts';
import { deploymentHandlers } from './deployments/deployment-handlers.ts';
import { DeploymentStore } from './deployments/deployment-store.ts';
import { type DeploymentProjects, Deployments } from './deployments/deployments.ts';
import { Uploads } from './deployments/uploads.ts';
import { GithubApi } from './integrations/github-api.ts';
import { GithubIntegrations } from './integrations/github-integrations.ts';
import { integrationHandlers, ownIntegrationHandlers } from './integrations/integration-handlers.ts';
import { listenerHandlers } from './listeners/listener-handlers.ts';
import { ListenerStore } from './listeners/listener-store.ts';
import { logHandlers } from './logs/log-handlers.ts';
import { LogStore } from './logs/log-store.ts';
import { mountOAuth } from './oauth/oauth-service.ts';
import { pushHandlers } from './push/push-handlers.ts';
import { PushWatcher } from './push/push-watcher.ts';
import { Pushes } from './push/pushes.ts';
import { Pruning } from './revisions/pruning.ts';
import { revisionHandlers } from './revisions/revision-handlers.ts';
import { RevisionPipeline } from './revisions/revision-pipeline.ts';
import { RevisionStore } from './revisions/revision-store.ts';
import { SecretBox } from './secrets/secret-box.ts';
import type { SecretNames } from './secrets/secret-names.ts';
import { SecretStore } from './secrets/secret-store.ts';
import { WorkspaceSecrets, workspaceSecretHandlers } from './secrets/workspace-secrets.ts';
import { DeploymentServers } from './serving/deployment-servers.ts';

export interface ControlPlaneOptions {
  readonly dataDir: string;
  readonly organizationId: string;
  readonly db: StateDatabase;
  readonly identity: Identity;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
  /** Serves what is built, and folders. */
  readonly agents: AgentServers;
  readonly folders: OpenFolders;
  readonly secretNames: SecretNames;
  readonly projects: DeploymentProjects;
  /** The program that guards the commands of builds, `build-guard.js`. */
  readonly buildGuard: string;
  /** Milliseconds one command of an installation may take. */
  readonly installTimeoutMs: number;
  readonly environment: NodeJS.ProcessEnv;
  /** Address of GitHub's API, or of an enterprise server's. */
  readonly githubApi: string;
  /** The platform's address. */
  baseUrl(): string;
  makeAgentServer(deployment: ServedDeployment): AgentServer;
}

/** Where public clients look for the control plane: at the root, and where self-hosted installations have it. */
const PREFIXES = ['', '/api-host'];

/** The control plane of a data folder: deployments that are built and rolled out, and all that belongs to them. */
export class ControlPlane {
  readonly #pipeline: RevisionPipeline;
  readonly #servers: DeploymentServers;
  readonly #deployments: Deployments;
  readonly #logs: LogStore;
  readonly #watcher: PushWatcher;
  readonly #mount: (router: Router) => void;

  private constructor(options: ControlPlaneOptions, box: SecretBox) {
    const { db, dataDir, identity, changes, logger, agents, folders, environment, baseUrl } = options;
    const store = new DeploymentStore(db);
    const revisions = new RevisionStore(db);
    const secrets = new SecretStore(db, box, options.secretNames);
    const logs = new LogStore(db, logger);
    const runner = new CommandRunner(options.buildGuard);
    const builder = new Builder({
      dataDir,
      runner,
      environment,
      installTimeoutMs: options.installTimeoutMs,
    });
    const servers = new DeploymentServers({
      organizationId: options.organizationId,
      agents,
      deployments: store,
      revisions,
      builder,
      secrets,
      box,
      logs,
      logger,
      environment,
      controlPlaneUrl: baseUrl,
      makeAgentServer: options.makeAgentServer,
    });
    const github = new GithubIntegrations(db, box, new GithubApi(options.githubApi));
    const uploads = new Uploads({ db, builder, baseUrl });
    const pipeline = new RevisionPipeline({
      db,
      integrations: github,
      pruning: new Pruning({ db, revisions, builder, uploads }),
      revisions,
      deployments: store,
      builder,
      servers,
      logs,
      changes,
      logger,
    });
    const deployments: Deployments = new Deployments({
      db,
      store,
      revisions,
      secrets,
      box,
      identity,
      pipeline,
      agents,
      servers,
      folders,
      builder,
      uploads,
      changes,
      logs,
      projects: options.projects,
      watched: {
        changed: (row) => watcher.watch(row),
        deleted: (id) => watcher.forget(id),
      },
    });
    const watcher = new PushWatcher({ deployments, store, revisions, runner, environment, logger });
    const pushes = new Pushes({ deployments, store, revisions, box, baseUrl });
    this.#watcher = watcher;
    this.#pipeline = pipeline;
    this.#servers = servers;
    this.#deployments = deployments;
    this.#logs = logs;
    this.#mount = (router) => {
      mountOAuth(router, { db, box, baseUrl, prefixes: PREFIXES });
      router
        .mount(deploymentEndpoints, deploymentHandlers(deployments, uploads), PREFIXES)
        .mount(revisionEndpoints, revisionHandlers(deployments, revisions, pipeline), PREFIXES)
        .mount(logEndpoints, logHandlers(deployments, logs), PREFIXES)
        .mount(listenerEndpoints, listenerHandlers(new ListenerStore(db)), PREFIXES)
        .mount(integrationEndpoints, integrationHandlers(github), PREFIXES)
        .mount(ownIntegrationEndpoints, ownIntegrationHandlers(github))
        .mount(workspaceSecretEndpoints, workspaceSecretHandlers(new WorkspaceSecrets(db, box)), [
          '',
          '/api/v1',
        ])
        .mount(pushWebhookEndpoints, pushHandlers(pushes))
        .mount(bearerTokenEndpoints, {
          create: async ({ caller, body }) => {
            const made = await identity.createBearerToken(caller, body.expires_in_seconds * 1_000);
            return { access_token: made.token, token_type: 'bearer', expires_at: made.expiresAt };
          },
        });
    };
  }

  /** @throws SecretBoxError when the data folder's key is damaged. */
  static async open(options: ControlPlaneOptions): Promise<ControlPlane> {
    return new ControlPlane(options, await SecretBox.open(options.dataDir));
  }

  mount(router: Router): void {
    this.#mount(router);
  }

  /** Serves what was served before and goes on with what was under way. */
  async start(): Promise<void> {
    await this.#deployments.recover();
    await this.#servers.resume();
    await this.#pipeline.recover();
    await this.#watcher.start();
  }

  /** Whether something is built or rolled out. */
  get busy(): boolean {
    return this.#pipeline.busy;
  }

  /** Ends building and rolling out. Agents that are served go on. */
  async close(): Promise<void> {
    await this.#watcher.close();
    await this.#pipeline.close();
  }

  /** Stores what has been logged so far, by agents that are served too. */
  async flushLogs(): Promise<void> {
    await this.#logs.flush();
  }
}
