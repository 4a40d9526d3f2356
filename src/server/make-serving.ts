import type { IdleMemory } from '../process/idle-memory.ts';
import { AgentServers } from './agent-server/agent-servers.ts';
import { PausedDeployments } from './agent-server/paused-deployments.ts';
import { SecretNames } from './control-plane/secrets/secret-names.ts';
import { FolderStore } from './folders/folder-store.ts';
import { OpenFolders } from './folders/open-folders.ts';
import { ChangeFeed } from './http/change-feed.ts';
import { readStateBytes } from './identity/stored-bytes.ts';
import { WorkspaceLimiter } from './identity/workspace-limits.ts';
import { AgentServerMaker } from './make-agent-server.ts';
import type { Platform } from './open-platform.ts';
import type { ServerState } from './open-state.ts';
import type { OpenTeam } from './open-team.ts';
import { OtlpReceiver } from './otlp-receiver.ts';
import { Presence } from './presence.ts';
import { loadsGraphs } from './roles.ts';
import { ServerMetrics } from './server-metrics.ts';
import type { ServerOptions } from './server-options.ts';
import { Tracing } from './traces-thread/tracing.ts';

/** The parts that serve graphs, which are ready before the rest of the server is loaded. */
export interface Serving {
  readonly changes: ChangeFeed;
  readonly metrics: ServerMetrics;
  readonly pauses: PausedDeployments;
  readonly secretNames: SecretNames;
  readonly limiter: WorkspaceLimiter;
  readonly tracing: Tracing;
  readonly memory: IdleMemory;
  readonly agents: AgentServers;
  readonly maker: AgentServerMaker;
  readonly folders: OpenFolders;
  readonly receiver: OtlpReceiver;
  readonly presence: Presence;
}

/** Creates the parts that serve graphs. @param parts `onUnused` is called when no client needs the server any more. */
export function makeServing(
  options: ServerOptions,
  parts: {
    state: ServerState;
    platform: Platform;
    team: OpenTeam | undefined;
    onUnused: () => void;
  },
): Serving {
  const { folder, logger, version, programs, roles, memory, presence: graces } = options;
  const { state, platform, team, onUnused } = parts;
  const { home, db, queue, meters, identity, tracingKey } = state;
  const { origin, availability } = platform;
  const changes = new ChangeFeed(home.others);
  const secretNames = new SecretNames(db);
  const limiter = new WorkspaceLimiter(db, {
    measure: async (workspaceId) =>
      (await readStateBytes(db, workspaceId)) + (await tracing.readStoredBytes(workspaceId)),
    logger,
  });
  const tracing: Tracing = new Tracing({
    dataDir: folder.dir,
    baseUrl: () => options.team?.url ?? origin.url,
    changes,
    logger,
    database:
      options.database === undefined
        ? undefined
        : {
            url: options.database,
            replica: options.team?.replica,
            link: programs.tracesLink.href,
            maintains: roles.has('traces'),
          },
    objects: team?.traceObjects,
    workerUrl: programs.tracesWorker,
    version,
    hiddenNames: (keyId) => secretNames.findForKey(keyId),
    takeIngestion: (workspaceId) => limiter.takeIngestion(workspaceId),
    meters,
  });
  const metrics = new ServerMetrics({ meters, db, tracing });
  const agents = new AgentServers(logger);
  const pauses = new PausedDeployments({ db, logger, onRead: (paused) => agents.setPaused(paused) });
  const maker = new AgentServerMaker({
    version,
    logger,
    changes,
    meters,
    metrics,
    pauses,
    storage: { db, queue, team: home.agentTeam },
    identity,
    limiter,
    tracing,
    memory,
    runs: options.runs,
    programs,
    headStart: options.headStart,
    sleepAfterMs: options.sleepAfterMs,
    loadsWhenAsked: !loadsGraphs(roles),
    tracesUrl: roles.has('traces') ? origin.url : (options.team?.url ?? origin.url),
    ownPorts: () => new Set([origin.port, ...agents.ports]),
    checkFolder: () => availability.checkFolder(),
  });
  const folders = new OpenFolders({
    store: new FolderStore(db),
    agents,
    changes,
    logger,
    tracingKey,
    makeAgentServer: (deployment) => maker.make(deployment),
  });
  const receiver = new OtlpReceiver(tracing, logger);
  const presence = new Presence({
    ...graces,
    onUnused,
    onHolderGone: (holder) => {
      receiver.release(holder);
      return folders.release(holder);
    },
  });
  presence.stayWhile(() => agents.busy || tracing.busy);
  return {
    changes,
    metrics,
    pauses,
    secretNames,
    limiter,
    tracing,
    memory,
    agents,
    maker,
    folders,
    receiver,
    presence,
  };
}
