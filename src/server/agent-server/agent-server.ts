import { assistants as assistantEndpoints } from '../../contract/agent-server/assistants.ts';
import { runs as runEndpoints } from '../../contract/agent-server/runs.ts';
import { system as systemEndpoints } from '../../contract/agent-server/system.ts';
import { threads as threadEndpoints } from '../../contract/agent-server/threads.ts';
import type { RuntimeState } from '../../contract/harbor.ts';
import type { ChangeFeed } from '../http/change-feed.ts';
import { dispatcher } from '../http/dispatch.ts';
import { Origin } from '../http/origin.ts';
import { type CorsSettings, loopbackOnly } from '../http/origin-policy.ts';
import { Router } from '../http/router.ts';
import type { Logger } from '../logger.ts';
import { DeploymentRuntime } from '../runtimes/deployment-runtime.ts';
import type { LogBook } from '../runtimes/log-book.ts';
import type { ProjectConfig } from '../runtimes/project-config.ts';
import type { TracingTarget } from '../runtimes/runtime-environment.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import { AssistantStore } from './assistants/assistant-store.ts';
import { Assistants } from './assistants/assistants.ts';
import { CheckpointStore } from './checkpoints/checkpoint-store.ts';
import type { CommitQueue } from './commit-queue.ts';
import { Graphs } from './graphs.ts';
import { assistantHandlers } from './handlers/assistant-handlers.ts';
import { runHandlers } from './handlers/run-handlers.ts';
import { systemHandlers } from './handlers/system-handlers.ts';
import { threadHandlers } from './handlers/thread-handlers.ts';
import { RunExecution } from './runs/run-execution.ts';
import { RunRequests } from './runs/run-requests.ts';
import { RunScheduler } from './runs/run-scheduler.ts';
import { RunStore } from './runs/run-store.ts';
import { Runs } from './runs/runs.ts';
import { runtimeLink } from './runtime-link.ts';
import { ItemStore } from './store/item-store.ts';
import { ThreadSearches } from './threads/thread-search.ts';
import { ThreadStates } from './threads/thread-states.ts';
import { ThreadStore } from './threads/thread-store.ts';
import { Threads } from './threads/threads.ts';

const BODY_LIMIT = 300 * 1_048_576;

export interface AgentServerOptions {
  readonly db: StateDatabase;
  readonly queue: CommitQueue;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
  readonly log: LogBook;
  readonly serverId: string;
  readonly version: string;
  readonly deploymentId: string;
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly configPath: string;
  readonly nodeRuntime: string;
  readonly tracing: TracingTarget;
  readonly concurrency: number;
  readonly runTimeLimitMs: number;
  readonly continueAfterCrash: boolean;
  feedbackLinks(runId: string, keys: readonly string[]): Promise<Record<string, string>>;
  onRuntimeState(state: RuntimeState): void;
}

/** One deployment's agent server: its graphs in their runtime, and the interface to them at an address of its own. */
export class AgentServer {
  readonly runtime: DeploymentRuntime;
  readonly #options: AgentServerOptions;
  readonly #router = new Router();
  readonly #scheduler: RunScheduler;
  readonly #assistants: Assistants;
  #origin: Origin | undefined;

  constructor(options: AgentServerOptions) {
    this.#options = options;
    const { db, queue, changes, logger, deploymentId, workspaceId } = options;
    const checkpoints = new CheckpointStore(db);
    const threadStore = new ThreadStore(db, deploymentId);
    const runStore = new RunStore(db, deploymentId);
    this.runtime = new DeploymentRuntime({
      configPath: options.configPath,
      nodeRuntime: options.nodeRuntime,
      tracing: options.tracing,
      log: options.log,
      watch: true,
      ...runtimeLink({
        queue,
        checkpoints,
        items: new ItemStore(db, deploymentId),
        log: options.log,
        run: (runId) => this.#scheduler.find(runId),
      }),
      onState: (state) => void this.#onRuntimeState(state),
    });
    const states = new ThreadStates({ checkpoints, queue, runtime: this.runtime });
    const execution = new RunExecution({
      runtime: this.runtime,
      checkpoints,
      timeLimitMs: options.runTimeLimitMs,
    });
    this.#assistants = new Assistants({
      db,
      store: new AssistantStore(db, deploymentId),
      runtime: this.runtime,
      changes,
      workspaceId,
    });
    this.#scheduler = new RunScheduler({
      db,
      queue,
      deploymentId,
      workspaceId,
      serverId: options.serverId,
      threads: threadStore,
      runs: runStore,
      checkpoints,
      execution,
      changes,
      logger,
      concurrency: options.concurrency,
      continueAfterCrash: options.continueAfterCrash,
      readState: (threadId, graphId) => states.summary(threadId, graphId),
      onChange: () => {},
      onEnd: () => Promise.resolve(),
    });
    const threads = new Threads({
      db,
      store: threadStore,
      states,
      checkpoints,
      scheduler: this.#scheduler,
      changes,
      workspaceId,
    });
    const runs = new Runs({
      db,
      queue,
      store: runStore,
      scheduler: this.#scheduler,
      checkpoints,
      deploymentId,
    });
    const requests = new RunRequests({
      assistants: this.#assistants,
      threads: threadStore,
      scheduler: this.#scheduler,
      feedbackLinks: options.feedbackLinks,
    });
    const searches = new ThreadSearches(db, deploymentId);
    this.#router
      .mount(assistantEndpoints, assistantHandlers(this.#assistants, new Graphs(this.runtime)))
      .mount(threadEndpoints, threadHandlers(threads, states, searches, this.#scheduler))
      .mount(runEndpoints, runHandlers(requests, runs, threads, this.#scheduler))
      .mount(
        systemEndpoints,
        systemHandlers({ router: this.#router, runtime: this.runtime, db, version: options.version }),
      );
  }

  /** Whether a run of this deployment goes on or waits. */
  get busy(): boolean {
    return this.#scheduler.busy;
  }

  get url(): string | undefined {
    return this.#origin?.url;
  }

  /**
   * Listens, loads the graphs, and continues the runs that an earlier server left behind.
   * @returns once it listens; the graphs load meanwhile.
   * @throws PortTakenError
   */
  async start(port: number): Promise<Origin> {
    const { organizationId, workspaceId, logger } = this.#options;
    void this.runtime.start();
    // Before anybody can ask for more: what was under way keeps its place in its thread's line.
    await this.#scheduler.recover();
    this.#origin = await Origin.listen(
      port,
      dispatcher({
        router: this.#router,
        logger,
        cors: () => corsSettings(this.runtime.project?.config),
        bodyLimit: BODY_LIMIT,
        // The live agent asks for no key and ignores a wrong one: SDKs send stale keys from the environment.
        authenticate: () => Promise.resolve({ organizationId, workspaceId, by: { kind: 'loopback' } }),
      }),
    );
    return this.#origin;
  }

  async stop(): Promise<void> {
    this.#scheduler.close();
    await this.#origin?.close();
    this.#origin = undefined;
    await this.runtime.stop();
  }

  async #onRuntimeState(state: RuntimeState): Promise<void> {
    if (state.state === 'ready') {
      const graphs = this.runtime.project?.graphs ?? {};
      await this.#assistants
        .syncDefaults(graphs)
        .catch((error: unknown) => this.#options.logger.error({ err: error }, 'default assistants'));
    }
    this.#options.onRuntimeState(state);
  }
}

/** `http.cors` of langgraph.json (public facts, part B). */
function corsSettings(config: ProjectConfig | undefined): CorsSettings {
  const cors = config?.http?.cors;
  if (cors === undefined) return loopbackOnly;
  return {
    allowOrigins: cors.allow_origins ?? [],
    ...(cors.allow_origin_regex === undefined
      ? {}
      : { allowOriginRegex: new RegExp(cors.allow_origin_regex) }),
    allowCredentials: cors.allow_credentials ?? false,
    exposeHeaders: cors.expose_headers ?? [],
    maxAgeSeconds: cors.max_age ?? loopbackOnly.maxAgeSeconds,
  };
}
