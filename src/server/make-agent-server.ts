import type { Access } from '../contract/endpoint.ts';
import type { IdleMemory } from '../process/idle-memory.ts';
import { AgentServer } from './agent-server/agent-server.ts';
import type {
  AccessOptions,
  HostOptions,
  RunOptions,
  StorageOptions,
} from './agent-server/agent-server-options.ts';
import { TextCache } from './agent-server/data/text-cache.ts';
import type { ServedDeployment } from './agent-server/served-deployment.ts';
import type { ChangeFeed } from './http/change-feed.ts';
import type { Identity } from './identity/identity.ts';
import type { WorkspaceLimiter } from './identity/workspace-limits.ts';
import type { Logger } from './logger.ts';
import type { RuntimeHeadStart } from './runtimes/generations/runtime-head-start.ts';
import type { Programs } from './server-options.ts';
import type { Tracing } from './traces-thread/tracing.ts';

/** The access that only the owner's key allows. */
const OWNER_ONLY: Access = { credentials: 'api-key', right: 'owner' };

/** The parts that the agent servers of a server process share. */
export interface AgentServerMakerOptions {
  readonly version: string;
  readonly logger: Logger;
  readonly changes: ChangeFeed;
  readonly meters: HostOptions['meters'];
  readonly metrics: HostOptions['metrics'];
  readonly pauses: HostOptions['pauses'];
  readonly storage: StorageOptions;
  readonly identity: Identity;
  readonly limiter: WorkspaceLimiter;
  readonly tracing: Tracing;
  readonly memory: IdleMemory;
  readonly runs: RunOptions;
  readonly programs: Pick<Programs, 'nodeRuntime' | 'pythonRuntime'>;
  /** A process for the Node graphs of the first folder. */
  readonly headStart: RuntimeHeadStart | undefined;
  /** How long the runtime of a built deployment may be idle before it is put to sleep, in milliseconds. */
  readonly sleepAfterMs: number;
  /** Whether graphs load only when they are requested, because other servers run them. */
  readonly loadsWhenAsked: boolean;
  /** The address to which runtimes send their traces. */
  readonly tracesUrl: string;
  /** The ports of the whole server, which no webhook may reach. */
  ownPorts(): ReadonlySet<number>;
  /** @throws HttpError 507 when nothing can be stored any longer. */
  checkFolder(): void;
}

/** Creates agent servers for open folders and for built deployments. */
export class AgentServerMaker {
  readonly #options: AgentServerMakerOptions;
  readonly #host: HostOptions;

  constructor(options: AgentServerMakerOptions) {
    this.#options = options;
    const { version, logger, changes, meters, metrics, pauses, ownPorts } = options;
    this.#host = { version, logger, changes, meters, metrics, pauses, ownPorts, textCache: new TextCache() };
  }

  make(deployment: ServedDeployment): AgentServer {
    const { storage, runs, tracing, memory, programs } = this.#options;
    const { id, organizationId, workspaceId, name, source, log } = deployment;
    const isBuilt = source.deployed !== undefined;
    return new AgentServer({
      deployment: { id, organizationId, workspaceId, name },
      networkAddress: deployment.host,
      publicUrl: deployment.publicUrl,
      host: this.#host,
      storage,
      access: this.accessTo(deployment),
      room: {
        checkRuns: (more) => this.#options.limiter.checkRuns(workspaceId, more),
        checkThreads: () => this.#options.limiter.checkThreads(workspaceId),
        checkStorage: () => this.#options.limiter.checkStorage(workspaceId),
      },
      runtime: {
        source,
        nodeRuntime: programs.nodeRuntime,
        pythonRuntime: programs.pythonRuntime,
        memory,
        headStart: isBuilt ? undefined : this.#options.headStart,
        sleepAfterMs: isBuilt ? this.#options.sleepAfterMs : undefined,
        loadsWhenAsked: this.#options.loadsWhenAsked,
      },
      runs,
      tracing: {
        target: { endpoint: this.#options.tracesUrl, apiKey: deployment.tracingKey, project: name },
        checkReady: () => tracing.checkReady(),
        prices: tracing.pricesOf({ workspaceId, name }),
        usePrices: (folder) => tracing.usePrices({ workspaceId, name }, folder),
        interrupted: tracing.interruptedTraces(workspaceId, name),
        feedbackLinks: (runId, keys) => tracing.createFeedbackTokens({ workspaceId, runId, keys }),
      },
      log,
      onRuntimeState: (state) => deployment.onRuntimeState(state),
    });
  }

  /** Decides who may call a deployment of a workspace. */
  accessTo({
    id,
    workspaceId,
    requiresKey,
  }: Pick<ServedDeployment, 'id' | 'workspaceId' | 'requiresKey'>): AccessOptions {
    const { identity, checkFolder } = this.#options;
    return {
      authenticate: async ({ headers }, asked) => {
        checkFolder();
        return requiresKey() ? identity.authenticateAt({ id, workspaceId }, headers, asked) : undefined;
      },
      isOwner: async ({ headers }) => {
        const found = identity.authenticateAt({ id, workspaceId }, headers, OWNER_ONLY);
        // Credentials that are refused, or cannot be checked, are not accepted as the owner's.
        return (await found.catch(() => undefined))?.isOwner === true;
      },
      onRevoked: (caller, end) => identity.onRevoked(caller, end),
    };
  }
}
