import type { DeploymentSource } from '../contract/control-plane/sources.ts';
import { RIGHTS } from '../contract/endpoint.ts';
import type { AgentTeam } from './agent-server/runs/run-sharing.ts';
import type { FolderRow, FolderStore } from './folders/folder-store.ts';
import type { OtherServers } from './http/change-feed.ts';
import type { Grant } from './http/grant.ts';
import type { Identity } from './identity/identity.ts';
import type { StateDatabase } from './storage/state-database.ts';

/** The keys of the machine's own clients, and of the agents that are served from folders. */
export interface OwnKeys {
  readonly apiKey: string;
  readonly tracingKey: string;
}

export interface OwnKeyOptions {
  /** The key of the machine's own clients, instead of one that is made. */
  readonly chosenKey: string | undefined;
  readonly organizationId: string;
  readonly workspaceId: string;
}

export const OWN_KEY = 'This machine';
export const TRACING_KEY = 'Agents served from folders';
export const GRANT_OF_OWNER: Grant = { rights: RIGHTS };
/** Folders are opened by the owner, whose graphs may use the clients of datasets as well. */
export const GRANT_OF_FOLDERS: Grant = { rights: ['trace', 'run', 'read', 'write'] };

/**
 * Where a server keeps its state, and everything that depends on that: a data folder of its own (`local-home.ts`),
 * or a database shared with others (`team/team-home.ts`).
 */
export interface Home {
  readonly db: StateDatabase;
  /** Finds or creates the keys. Servers must call it one after the other. */
  openKeys(identity: Identity, options: OwnKeyOptions): Promise<OwnKeys>;
  /** Learns of keys that other servers revoke. */
  followOthers(identity: Identity): void;
  /** Says where administrators find the owner's key. */
  ownerPlace(chosenKey: string | undefined): string;
  /** The setting with the platform's port, for the next start; undefined where servers have none in common. */
  readonly portSetting: string | undefined;
  /** Other servers, which make changes too. */
  readonly others: OtherServers | undefined;
  /** For agents whose runs other servers have too. */
  readonly agentTeam: AgentTeam | undefined;
  /** Whether the server has deployments to serve. */
  readonly hasDeployments: boolean;
  /** Refuses sources that cannot be deployed here, wherever they are. @throws HttpError 400 */
  checkSource(source: DeploymentSource): void;
  /** Finds or stores the agent of an image. */
  findAgent(store: FolderStore, agent: NamedImageAgent): Promise<FolderRow>;
  /** Leaves work to other servers, where there are any. */
  leave(work: () => Promise<void>): Promise<void>;
  /** Warns when no server does work that this one does not do. @returns a function that stops it. */
  watchRoles(): Promise<() => void>;
}

export interface NamedImageAgent {
  readonly workspaceId: string;
  readonly name: string;
  /** Absolute path of its langgraph.json. */
  readonly configPath: string;
}
