import { sql } from 'kysely';
import type { Logger } from '../logger.ts';
import { AGENT_ROLES, ALL_ROLES, type Role, type Roles, servesDeployments } from '../roles.ts';
import type { StateDatabase } from '../storage/state-database.ts';

/** The interval of the checks, long enough for servers that are started one after the other. */
const LOOK_MS = 60_000;

/** The consequences while no server has a role. */
const WITHOUT: Readonly<Record<Role, string>> = {
  api: 'requests to deployments and to the control plane are refused',
  runs: 'runs that are accepted wait',
  builds: 'revisions that are deployed wait',
  traces: 'traces are refused, and purges that were accepted wait',
};

interface RoleWatchOptions {
  readonly db: StateDatabase;
  readonly logger: Pick<Logger, 'warn'>;
  readonly roles: Roles;
  /** The name of the agent that these servers serve; undefined for those of the platform. */
  readonly agent: string | undefined;
  /** The interval of the checks. */
  readonly lookMs?: number;
}

/** Logs which roles no server of a team has, and what to do about it. */
export class RoleWatch {
  readonly #options: RoleWatchOptions;
  readonly #timer: NodeJS.Timeout;
  /** The group of servers that do the same work; each of them stores its group in front of its roles. */
  readonly #group: string;
  /** The missing roles that were logged last. */
  #logged = '';

  private constructor(options: RoleWatchOptions) {
    this.#options = options;
    this.#group = groupOf(options);
    // A failed check is repeated after the next interval.
    const look = () => void this.look().catch(() => {});
    this.#timer = setInterval(look, options.lookMs ?? LOOK_MS).unref();
  }

  /** Stores this server's roles, and checks periodically whether all roles are covered. */
  static async start(options: RoleWatchOptions): Promise<RoleWatch> {
    const { db, roles } = options;
    const names = [...roles].map((role) => `${groupOf(options)}${role}`);
    await sql`update nodes set roles = ${names} where number = ${Number(db.node)}`.execute(db);
    return new RoleWatch(options);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Checks the roles, and warns when the missing ones have changed. */
  async look(): Promise<void> {
    const { db, logger, agent } = this.#options;
    const { rows } = await sql<{ number: number; roles: string[] | null }>`
      select number, roles from nodes where expires_at > clock_timestamp()`.execute(db);
    // After an outage of the database, every lease has expired until the next heartbeats.
    if (rows.every(({ number }) => String(number) !== db.node)) return;
    // A server of an earlier version stores no roles; it may have any of them.
    const isCovered = (role: Role) =>
      rows.some(({ roles }) => roles === null || roles.includes(`${this.#group}${role}`));
    const present = new Set([...ALL_ROLES].filter(isCovered));
    const needed = agent === undefined ? ALL_ROLES : AGENT_ROLES;
    const missing = [...needed].filter((role) =>
      role === 'api' ? !servesDeployments(present) : !present.has(role),
    );
    const names = missing.join(', ');
    if (names === this.#logged) return;
    this.#logged = names;
    if (missing.length === 0) return;
    const consequences = missing.map((role) => WITHOUT[role]).join('; ');
    logger.warn(
      { roles: missing },
      `No server of the team has the role ${names}: ${consequences}. Start one with --roles ${missing.join(',')}, or add it to the roles of a running server.`,
    );
  }
}

function groupOf({ agent }: Pick<RoleWatchOptions, 'agent'>): string {
  return agent === undefined ? 'platform: ' : `agent ${agent}: `;
}
