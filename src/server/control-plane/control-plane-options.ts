import type { DeploymentSource } from '../../contract/control-plane/sources.ts';
import type { AgentServer } from '../agent-server/agent-server.ts';
import type { AccessOptions } from '../agent-server/agent-server-options.ts';
import type { AgentServers } from '../agent-server/agent-servers.ts';
import type { ServedDeployment } from '../agent-server/served-deployment.ts';
import type { OpenFolders } from '../folders/open-folders.ts';
import type { ChangeFeed } from '../http/change-feed.ts';
import type { ContainerConnections } from '../http/container-connections.ts';
import type { Identity } from '../identity/identity.ts';
import type { Logger } from '../logger.ts';
import type { Meters } from '../meters.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { DeploymentProjects } from './deployments/deployments.ts';
import type { SecretNames } from './secrets/secret-names.ts';
import type { TeamOptions } from './team-options.ts';

/** The options of a control plane, by area. */
export interface ControlPlaneOptions {
  readonly host: HostOptions;
  readonly db: StateDatabase;
  readonly identity: Identity;
  /** The organization of every deployment. */
  readonly organizationId: string;
  readonly serving: ServingOptions;
  readonly builds: BuildOptions;
  readonly secretNames: SecretNames;
  /** The tracing projects of deployments. */
  readonly projects: DeploymentProjects;
  /** Refuses kinds of sources that this server cannot deploy. @throws HttpError 400 */
  checkSourceKind(source: DeploymentSource): void;
  /** The other servers of the team; undefined without a team. */
  readonly team?: TeamOptions | undefined;
}

/** The options of a control plane that concern the server process. */
export interface HostOptions {
  readonly dataDir: string;
  /** The server's own environment. */
  readonly environment: NodeJS.ProcessEnv;
  readonly logger: Logger;
  readonly changes: ChangeFeed;
  readonly meters: Pick<Meters, 'builds' | 'revisions' | 'drainingRuns'>;
  /** The platform's address. */
  baseUrl(): string;
  /** Recognizes requests that come from containers. */
  readonly containerConnections: Pick<ContainerConnections, 'note'>;
  /** The keys of the server's own clients and graphs, which logs must not show. */
  readonly ownKeys: readonly string[];
}

export interface ServingOptions {
  /** Serves builds and folders. */
  readonly agents: AgentServers;
  readonly folders: OpenFolders;
  makeAgentServer(deployment: ServedDeployment): AgentServer;
  /** Decides who may call a deployment: callers with a key of its workspace. */
  accessTo(deployment: { readonly id: string; readonly workspaceId: string }): AccessOptions;
  /** Milliseconds without work after which the container of an image sleeps. */
  readonly sleepAfterMs: number;
}

export interface BuildOptions {
  /** The guard program for build commands, `build-guard.js`. */
  readonly buildGuard: string;
  /** Time limit of an installation command in milliseconds. */
  readonly installTimeoutMs: number;
  /** Address of GitHub's API, or of an enterprise server's. */
  readonly githubApi: string;
}
