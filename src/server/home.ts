import type { DeploymentSource } from '../contract/control-plane/sources.ts';
import { RIGHTS } from '../contract/endpoint.ts';
import type { AgentTeam } from './agent-server/runs/run-sharing.ts';
import type { FolderRow, FolderStore } from './folders/folder-store.ts';
import type { OtherServers } from './http/change-feed.ts';
import type { Grant } from './http/grant.ts';
import type { Identity } from './identity/identity.ts';
import type { StateDatabase } from './storage/state-database.ts';

/** The keys of the machine itself. */
export interface OwnKeys {
  /** The key for clients on this machine, with the rights of the owner. */
  readonly apiKey: string;
  /** The key with which agents that are served from folders send traces. */
  readonly tracingKey: string;
}

export interface OwnKeyOptions {
  /**
   * The owner's key that the server was given; if undefined, the machine's stored key is used, or one is
   * generated.
   */
  readonly chosenKey: string | undefined;
  readonly organizationId: string;
  readonly workspaceId: string;
}

/** The names of the machine's own keys in the database. */
export const OWN_KEY = 'This machine';
export const TRACING_KEY = 'Agents served from folders';
/** The rights of the owner's key: all. */
export const OWNER_GRANT: Grant = { rights: RIGHTS };
/**
 * The rights of graphs in folders. Folders are opened by the owner, so their graphs may also use clients for datasets.
 */
export const FOLDER_GRANT: Grant = { rights: ['trace', 'run', 'read', 'write'] };

/**
 * The storage of a server, and everything that depends on its kind: the server's own data folder (`local-home.ts`), or
 * a database that several servers share (`team/team-home.ts`).
 */
export interface Home {
  readonly db: StateDatabase;
  /** Finds or creates the keys of the machine. Servers must not do this at the same time. */
  openKeys(identity: Identity, options: OwnKeyOptions): Promise<OwnKeys>;
  /** Applies revocations of keys by other servers. */
  followOthers(identity: Identity): void;
  /** Where administrators find the owner's key, for error messages. */
  ownerPlace(chosenKey: string | undefined): string;
  /** The name of the setting with the platform's port for the next start; undefined if several servers share settings. */
  readonly portSetting: string | undefined;
  /** The other servers that make changes; undefined if there are none. */
  readonly others: OtherServers | undefined;
  /** Shares the runs of agents with other servers; undefined if there are none. */
  readonly agentTeam: AgentTeam | undefined;
  /** Whether the server has deployments to serve. */
  readonly hasDeployments: boolean;
  /** Refuses sources that cannot be deployed on this server. @throws HttpError 400 */
  checkSourceKind(source: DeploymentSource): void;
  /** Finds or stores the agent of an image. */
  findAgent(store: FolderStore, agent: NamedImageAgent): Promise<FolderRow>;
  /**
   * Runs a function that leaves this server's work to other servers. Does nothing if there are no other
   * servers.
   */
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
