import type { DeploymentSource } from '../../contract/control-plane/sources.ts';
import type { AgentTeam } from '../agent-server/runs/run-sharing.ts';
import type { FolderRow, FolderStore } from '../folders/folder-store.ts';
import {
  FOLDER_GRANT,
  type Home,
  type NamedImageAgent,
  OWN_KEY,
  OWNER_GRANT,
  type OwnKeyOptions,
  type OwnKeys,
  TRACING_KEY,
} from '../home.ts';
import type { Grant } from '../http/grant.ts';
import type { Identity } from '../identity/identity.ts';
import type { Logger } from '../logger.ts';
import type { Meters } from '../meters.ts';
import type { Roles } from '../roles.ts';
import type { Bus } from '../storage/bus.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import { checkSharedSource } from './deployments/check-shared-source.ts';
import { warnOfConnections } from './postgres/connection-room.ts';
import { openPostgresState } from './postgres/postgres-state.ts';
import { RoleWatch } from './role-watch.ts';
import { TeamAbandonedTraces } from './runs/abandoned-traces.ts';
import { TeamRuns } from './runs/team-runs.ts';
import { ServerKeys } from './server-keys.ts';

/**
 * The name of the key that a server makes for itself if it is given none. It differs from `OWN_KEY`, because a server
 * that is given a key revokes other keys with that name (`owner-keys.ts`).
 */
const SERVER_KEY = 'A server';

interface TeamHomeOptions {
  /** The URL of the database. */
  readonly database: string;
  /** The entry point of the thread that sends the heartbeat. */
  readonly heartbeat: URL;
  /** How long requests wait for an unreachable database. */
  readonly patienceMs: number | undefined;
  readonly roles: Roles;
  /** Whether the server belongs to a platform, and not only to an agent. */
  readonly hasPlatform: boolean;
  /** The name of the agent that these servers serve; undefined for those of the platform. */
  readonly agent: string | undefined;
  readonly meters: Meters;
  readonly logger: Logger;
}

/** The home of a server that shares a database with others. */
export class TeamHome implements Home {
  readonly db: StateDatabase;
  readonly portSetting = undefined;
  readonly others: Bus;
  readonly agentTeam: AgentTeam = {
    shareRuns: (options) => new TeamRuns({ ...options, meters: this.#options.meters }),
    watchAbandonedTraces: (options) => new TeamAbandonedTraces(options),
  };
  readonly #options: TeamHomeOptions;

  private constructor(db: StateDatabase, options: TeamHomeOptions) {
    this.db = db;
    this.others = db.bus;
    this.#options = options;
  }

  /** @throws DataFolderError */
  static async open(options: TeamHomeOptions): Promise<TeamHome> {
    const { database, heartbeat, patienceMs, meters, logger } = options;
    const db = await openPostgresState(database, heartbeat, { patienceMs, meters });
    await warnOfConnections(db, logger);
    return new TeamHome(db, options);
  }

  /** Whether this server serves deployments. Servers of a single agent do not. */
  get hasDeployments(): boolean {
    return this.#options.hasPlatform;
  }

  /**
   * Creates keys for this server, which are valid while it runs. They are not read from the data folder, which may be
   * a copy of another server's. If the owner's key was given and is not known yet, it is stored.
   */
  async openKeys(
    identity: Identity,
    { chosenKey, organizationId, workspaceId }: OwnKeyOptions,
  ): Promise<OwnKeys> {
    const serverKeys = new ServerKeys(this.db, identity);
    await serverKeys.deleteStale();
    const make = (name: string, grant: Grant) =>
      serverKeys.make({ organizationId, workspaceId, name, grant });
    if (chosenKey !== undefined && !(await identity.isKnown(chosenKey)))
      await identity.createKey({
        organizationId,
        workspaceIds: [workspaceId],
        name: OWN_KEY,
        grant: OWNER_GRANT,
        key: chosenKey,
      });
    return {
      apiKey: chosenKey ?? (await make(SERVER_KEY, OWNER_GRANT)),
      tracingKey: await make(TRACING_KEY, FOLDER_GRANT),
    };
  }

  followOthers(identity: Identity): void {
    // Ends when the identity is closed.
    void identity.followOthers();
  }

  ownerPlace(chosenKey: string | undefined): string {
    return chosenKey === undefined
      ? "AGENT_HARBOR_API_KEY of the team's servers, which must be set: no key was given"
      : "AGENT_HARBOR_API_KEY of the team's servers";
  }

  checkSourceKind(source: DeploymentSource): void {
    checkSharedSource(source, this.hasDeployments);
  }

  findAgent(store: FolderStore, { workspaceId, name, configPath }: NamedImageAgent): Promise<FolderRow> {
    return store.findOrInsertNamed(workspaceId, name, configPath);
  }

  leave(work: () => Promise<void>): Promise<void> {
    return work();
  }

  async watchRoles(): Promise<() => void> {
    const { roles, agent, logger } = this.#options;
    const watch = await RoleWatch.start({ db: this.db, roles, agent, logger });
    return () => watch.close();
  }
}
