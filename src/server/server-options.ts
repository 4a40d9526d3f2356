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
  /**
   * The URL of the PostgreSQL database for state and traces; undefined means `state.db` and `traces.db` in the
   * folder.
   */
  readonly database?: string | undefined;
  /** How long requests wait while that database cannot be reached. */
  readonly databasePatienceMs?: number | undefined;
  readonly version: string;
  readonly logger: Logger;
  /** Port of the platform, 0 for any free one; undefined for the previous one, or any free one. */
  readonly port: number | undefined;
  readonly presence: Pick<PresenceOptions, 'graceMs' | 'holderGraceMs'>;
  readonly programs: Programs;
  /** The roles of the server: all by default, or some for a server of a team. */
  readonly roles: Roles;
  readonly runs: RunOptions;
  readonly builds: Omit<BuildOptions, 'buildGuard'>;
  /** Milliseconds without work after which the runtime of a built deployment sleeps. */
  readonly sleepAfterMs: number;
  /** Opened first, because its graphs take longer to load than the server. */
  readonly firstFolder?: OpenRequest | undefined;
  /** When the areas are opened, with such a folder, unless a request asks for one earlier. */
  readonly areaTimes?: AreaTimes | undefined;
  /** The agent of an image; the server ends when it cannot be served. */
  readonly imageAgent?: ImageAgent | undefined;
  /** The platform of a team that this server belongs to. */
  readonly team?: TeamPlatform | undefined;
  /** A process for the Node graphs of that folder. */
  readonly headStart?: RuntimeHeadStart | undefined;
}

/** When the areas are opened unless a request asks for one earlier. */
export interface AreaTimes {
  /** After the graphs of the first folder have loaded, with time for its first runs. */
  readonly afterGraphsMs: number;
  /** Graphs that take longer to load do not delay the areas further. */
  readonly atLatestMs: number;
}

/** Programs that run beside the server. */
export interface Programs {
  /** The bundle that runs graphs of Node. */
  readonly nodeRuntime: string;
  /** The module that runs graphs of Python. */
  readonly pythonRuntime: string;
  /** The threads that keep the traces. */
  readonly tracesWorker: URL;
  /** The threads that connect to the traces of a team. */
  readonly tracesLink: URL;
  /** The thread that sends the heartbeat of a server of a team. */
  readonly heartbeat: URL;
  /** Guards the commands of builds. */
  readonly buildGuard: string;
}
