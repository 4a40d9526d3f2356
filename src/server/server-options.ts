import type { IdleMemory } from '../process/idle-memory.ts';
import type { RunOptions } from './agent-server/agent-server-options.ts';
import type { BuildOptions } from './control-plane/control-plane-options.ts';
import type { DataFolder } from './data-folder.ts';
import type { OpenRequest } from './folders/open-folders.ts';
import type { ImageAgent } from './image-agent.ts';
import type { Logger } from './logger.ts';
import type { PresenceOptions } from './presence.ts';
import type { Roles } from './roles.ts';
import type { RuntimeHeadStart } from './runtimes/generations/runtime-head-start.ts';
import type { TeamPlatform } from './team/team-platform.ts';

/** The options of a server, by area. */
export interface ServerOptions {
  readonly folder: DataFolder;
  /** The URL of the PostgreSQL database for state and traces; undefined for `state.db` and `traces.db` in the folder. */
  readonly database?: string | undefined;
  /** How long requests wait while the database cannot be reached. */
  readonly databasePatienceMs?: number | undefined;
  readonly version: string;
  readonly logger: Logger;
  /** The platform's port: 0 for any free one; undefined for the previous one, or else any free one. */
  readonly port: number | undefined;
  readonly presence: Pick<PresenceOptions, 'graceMs' | 'holderGraceMs'>;
  readonly programs: Programs;
  /** The roles of the server: all by default, or some for a server of a team. */
  readonly roles: Roles;
  readonly runs: RunOptions;
  readonly builds: Omit<BuildOptions, 'buildGuard'>;
  /**
   * The time without work, in milliseconds, after which the runtime of a built deployment is put to sleep.
   */
  readonly sleepAfterMs: number;
  /** Frees the garbage of the process that the server runs in. */
  readonly memory: IdleMemory;
  /** A folder to open before the rest of the server is loaded, because its graphs take longer to load. */
  readonly firstFolder?: OpenRequest | undefined;
  /** When the areas are opened if there is a first folder. */
  readonly areaTimes?: AreaTimes | undefined;
  /** The agent of an image; the server ends if it cannot serve the agent. */
  readonly imageAgent?: ImageAgent | undefined;
  /** The platform of a team that this server belongs to. */
  readonly team?: TeamPlatform | undefined;
  /** A process for the Node graphs of the first folder. */
  readonly headStart?: RuntimeHeadStart | undefined;
}

/** When the areas are opened unless a request asks for one earlier. */
export interface AreaTimes {
  /** The delay after the graphs of the first folder have loaded, which leaves time for its first runs. */
  readonly afterGraphsMs: number;
  /** The maximum delay: graphs that take longer to load do not delay the areas further. */
  readonly atLatestMs: number;
}

/** The programs and threads that the server starts. */
export interface Programs {
  /** The bundle that runs Node graphs. */
  readonly nodeRuntime: string;
  /** The module that runs Python graphs. */
  readonly pythonRuntime: string;
  /** The entry point of the threads that store and read traces. */
  readonly tracesWorker: URL;
  /** The entry point of the threads that connect to the traces of a team. */
  readonly tracesLink: URL;
  /** The entry point of the thread that sends the heartbeat of a team's server. */
  readonly heartbeat: URL;
  /** The program that guards the commands of builds. */
  readonly buildGuard: string;
}
