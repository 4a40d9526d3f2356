import type { DeploymentSource } from '../contract/control-plane/sources.ts';
import { RIGHTS } from '../contract/endpoint.ts';
import type { AgentTeam } from './agent-server/runs/run-sharing.ts';
import type { FolderRow, FolderStore } from './folders/folder-store.ts';
import type { OtherServers } from './http/change-feed.ts';
import type { Grant } from './http/grant.ts';
import type { Identity } from './identity/identity.ts';
import type { StateDatabase } from './storage/state-database.ts';

/** The keys for the machine's own clients, and for the agents that are served from folders. */
export interface OwnKeys {
  readonly apiKey: string;
  readonly tracingKey: string;
}

export interface OwnKeyOptions {
  /** A given key for the machine's own clients, used instead of a generated one. */
  readonly chosenKey: string | undefined;
  readonly organizationId: string;
  readonly workspaceId: string;
}

export const OWN_KEY = 'This machine';
export const TRACING_KEY = 'Agents served from folders';
export const OWNER_GRANT: Grant = { rights: RIGHTS };
/**
 * The rights of graphs in folders. Folders are opened by the owner, so their graphs may also use clients for datasets.
 */
export const FOLDER_GRANT: Grant = { rights: ['trace', 'run', 'read', 'write'] };

/**
 * Where a server keeps its state, and everything that depends on that: its own data folder (`local-home.ts`), or a
 * database shared with others (`team/team-home.ts`).
 */
export interface Home {
  readonly db: StateDatabase;
  /** Finds or creates the keys. Servers must do this one after the other. */
  openKeys(identity: Identity, options: OwnKeyOptions): Promise<OwnKeys>;
  /** Follows which keys other servers revoke. */
  followOthers(identity: Identity): void;
  /** Says where administrators find the owner's key. */
  ownerPlace(chosenKey: string | undefined): string;
  /**
   * The name of the setting that keeps the platform's port for the next start; undefined if the servers have no port in
   * common.
   */
  readonly portSetting: string | undefined;
  /** Other servers, which make changes too. */
  readonly others: OtherServers | undefined;
  /** Shares the runs of agents with other servers; undefined if there are none. */
  readonly agentTeam: AgentTeam | undefined;
  /** Whether the server has deployments to serve. */
  readonly hasDeployments: boolean;
  /** Refuses sources that cannot be deployed on this server. @throws HttpError 400 */
  checkSourceKind(source: DeploymentSource): void;
  /** Finds or stores the agent of an image. */
  findAgent(store: FolderStore, agent: NamedImageAgent): Promise<FolderRow>;
  /** Leaves work to other servers, if there are any. */
  leave(work: () => Promise<void>): Promise<void>;
  /**
   * Warns when there is work that neither this server nor any other one does. @returns a function that stops the
   * warnings.
   */
  watchRoles(): Promise<() => void>;
}

export interface NamedImageAgent {
  readonly workspaceId: string;
  readonly name: string;
  /** Absolute path of its langgraph.json. */
  readonly configPath: string;
}
