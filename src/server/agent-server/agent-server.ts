import type { IncomingMessage } from 'node:http';
import { a2a as a2aEndpoints, mcp as mcpEndpoints } from '../../contract/agent-server/agents.ts';
import { archive as archiveEndpoints } from '../../contract/agent-server/archive.ts';
import { assistants as assistantEndpoints } from '../../contract/agent-server/assistants.ts';
import { crons as cronEndpoints } from '../../contract/agent-server/crons.ts';
import { protocol as protocolEndpoints } from '../../contract/agent-server/protocol.ts';
import { runs as runEndpoints } from '../../contract/agent-server/runs.ts';
import { store as storeEndpoints } from '../../contract/agent-server/store.ts';
import { system as systemEndpoints } from '../../contract/agent-server/system.ts';
import {
  threads as threadEndpoints,
  threadStream as threadStreamEndpoints,
} from '../../contract/agent-server/threads.ts';
import { ui as uiEndpoints } from '../../contract/agent-server/ui.ts';
import type { Credentials } from '../../contract/endpoint.ts';
import type { RuntimeState } from '../../contract/harbor.ts';
import type { QuietMemory } from '../../process/quiet-memory.ts';
import type { Caller } from '../http/caller.ts';
import type { ChangeFeed } from '../http/change-feed.ts';
import { type DispatchOptions, dispatcher } from '../http/dispatch.ts';
import { Origin } from '../http/origin.ts';
import { Router } from '../http/router.ts';
import { upgradeListener } from '../http/upgrade.ts';
import type { Logger } from '../logger.ts';
import { DeploymentRuntime, type RuntimeSource } from '../runtimes/deployment-runtime.ts';
import type { LogBook } from '../runtimes/log-book.ts';
import type { TracingTarget } from '../runtimes/runtime-environment.ts';
import type { RuntimeHeadStart } from '../runtimes/runtime-head-start.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { InterruptedTraces } from '../tracing/interrupted-traces.ts';
import { A2a } from './agents/a2a.ts';
import { a2aHandlers, mcpHandlers } from './agents/agent-handlers.ts';
import { Mcp } from './agents/mcp.ts';
import { assistantHandlers } from './assistants/assistant-handlers.ts';
import { AssistantStore } from './assistants/assistant-store.ts';
import { Assistants } from './assistants/assistants.ts';
import { Admission } from './auth/admission.ts';
import { CustomAuthentication } from './auth/custom-auth.ts';
import { OwnedResources } from './auth/owned-resources.ts';
import { UsableAssistants } from './auth/usable-assistants.ts';
import { CheckpointStore } from './checkpoints/checkpoint-store.ts';
import type { CommitQueue } from './commit-queue.ts';
import { CronClock } from './crons/cron-clock.ts';
import { cronHandlers } from './crons/cron-handlers.ts';
import { CronStore } from './crons/cron-store.ts';
import { Crons } from './crons/crons.ts';
import { CustomRoutes } from './custom-routes.ts';
import { Graphs } from './graphs.ts';
import { loggedHeaders } from './header-selection.ts';
import { InProcessCalls } from './in-process-calls.ts';
import { Metrics } from './metrics.ts';
import { ProjectApp } from './project-app.ts';
import { ProtocolCommands } from './protocol/protocol-commands.ts';
import { protocolHandlers } from './protocol/protocol-handlers.ts';
import { LiveRuns } from './runs/live-runs.ts';
import { type AuthorOf, authorOf } from './runs/run-author.ts';
import { RunExecution } from './runs/run-execution.ts';
import { runHandlers } from './runs/run-handlers.ts';
import { RunRequests } from './runs/run-requests.ts';
import { RunScheduler } from './runs/run-scheduler.ts';
import { RunStore } from './runs/run-store.ts';
import { RunWatch } from './runs/run-watch.ts';
import { Runs } from './runs/runs.ts';
import { runtimeLink } from './runtime-link.ts';
import { servedPath } from './served-paths.ts';
import { corsSettings, storeSettings, sweepSettings, threadTtl, webhookSettings } from './settings.ts';
import { embedTexts } from './store/embed-texts.ts';
import { ItemStore } from './store/item-store.ts';
import { storeHandlers } from './store/store-handlers.ts';
import { Sweeper } from './sweeper.ts';
import { systemHandlers } from './system-handlers.ts';
import { archiveHandlers } from './threads/archive-handlers.ts';
import { threadHandlers } from './threads/thread-handlers.ts';
import { ThreadSearches } from './threads/thread-search.ts';
import { ThreadStates } from './threads/thread-states.ts';
import { ThreadStore } from './threads/thread-store.ts';
import { threadStreamHandlers } from './threads/thread-stream-handlers.ts';
import { Threads } from './threads/threads.ts';
import { UiBundles } from './ui/ui-bundles.ts';
import { uiHandlers } from './ui/ui-handlers.ts';
import { WebhookOutbox } from './webhooks/webhook-outbox.ts';

const BODY_LIMIT = 300 * 1_048_576;

export interface AgentServerOptions {
  readonly db: StateDatabase;
  readonly queue: CommitQueue;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
  readonly log: LogBook;
  readonly memory: QuietMemory;
  readonly serverId: string;
  readonly version: string;
  readonly deploymentId: string;
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly source: RuntimeSource;
  /** Milliseconds without work after which its runtime sleeps; undefined is never. */
  readonly sleepAfterMs?: number | undefined;
  /** Who is calling it; undefined when it asks for no key. @throws HttpError 401 or 403 */
  authenticate(request: IncomingMessage, credentials: Credentials): Promise<Caller | undefined>;
  /** Whether a request has the key of this machine's owner. */
  isOwner(request: IncomingMessage): Promise<boolean>;
  readonly hold?: DispatchOptions['hold'];
  readonly nodeRuntime: string;
  /** A process for the Node graphs of the first load. */
  readonly headStart?: RuntimeHeadStart | undefined;
  readonly pythonRuntime: string;
  readonly tracing: TracingTarget;
  readonly concurrency: number;
  readonly runTimeLimitMs: number;
  readonly continueAfterCrash: boolean;
  /** Ports of this server, which no webhook may reach. */
  ownPorts(): ReadonlySet<number>;
  feedbackLinks(runId: string, keys: readonly string[]): Promise<Record<string, string>>;
  /** The traces of its runs whose process was lost. */
  readonly traces: InterruptedTraces;
  onRuntimeState(state: RuntimeState): void;
}

/** One deployment's agent server: its graphs in their runtime, and the interface to them at an address of its own. */
export class AgentServer {
  readonly runtime: DeploymentRuntime;
  readonly #options: AgentServerOptions;
  readonly #router = new Router();
  readonly #live = new LiveRuns();
  readonly #scheduler: RunScheduler;
  readonly #assistants: Assistants;
  readonly #webhooks: WebhookOutbox;
  readonly #clock: CronClock;
  readonly #sweeper: Sweeper;
  readonly #dispatch: DispatchOptions;
  readonly #inProcess = new InProcessCalls();
  #origin: Origin | undefined;
  /** While it is about to listen: what is being loaded waits for the address. */
  #opening: PromiseWithResolvers<void> | undefined;
  /** Settles when everything is as it must be before anybody can ask for anything. */
  #prepared: Promise<void> | undefined;
  /** Settles when what follows from the runtime's newest state has been done. */
  #synced: Promise<void> = Promise.resolve();

  constructor(options: AgentServerOptions) {
    this.#options = options;
    const { db, queue, changes, logger, deploymentId, workspaceId } = options;
    const checkpoints = new CheckpointStore(db);
    const config = () => this.runtime.project?.config;
    const threadStore = new ThreadStore(db, deploymentId, () => threadTtl(config()));
    const items = new ItemStore(db, deploymentId, () =>
      storeSettings(config(), (texts) => embedTexts(this.runtime, texts)),
    );
    const watch = new RunWatch();
    const runStore = new RunStore(db, deploymentId);
    this.runtime = new DeploymentRuntime({
      source: options.source,
      nodeRuntime: options.nodeRuntime,
      headStart: options.headStart,
      pythonRuntime: options.pythonRuntime,
      tracing: options.tracing,
      server: async () => {
        await this.#opening?.promise;
        return { token: this.#inProcess.token, ...(this.url === undefined ? {} : { url: this.url }) };
      },
      log: options.log,
      memory: options.memory,
      watch: options.source.deployed === undefined,
      sleepAfterMs: options.sleepAfterMs,
      ...runtimeLink({
        queue,
        checkpoints,
        items,
        log: options.log,
        run: (runId) => this.#live.find(runId),
        onHttpBody: (part) => customRoutes.body(part),
      }),
      onState: (state) => {
        this.#synced = this.#onRuntimeState(state);
      },
    });
    const customRoutes = new CustomRoutes(this.runtime);
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
    this.#webhooks = new WebhookOutbox({
      db,
      deploymentId,
      log: options.log,
      settings: () => webhookSettings(this.runtime.project),
      ownPorts: options.ownPorts,
      own: (path, asker) =>
        this.url === undefined
          ? undefined
          : { address: new URL(path, this.url), headers: this.#inProcess.headersOf(asker) },
    });
    this.#scheduler = new RunScheduler({
      db,
      queue,
      live: this.#live,
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
      onChange: (threadId) => watch.changed(threadId),
      onEnd: (transaction, run, outcome) => {
        this.#webhooks.enqueue(transaction, run, outcome);
      },
      onEnded: (outcome) => metrics.countEnd(outcome),
      onCutOff: ({ identity: { runId } }, { lost, startedAt }) =>
        this.#endTraces(() =>
          lost ? options.traces.endTrace(runId) : options.traces.endSpans(runId, startedAt),
        ),
    });
    const metrics = new Metrics({
      db,
      deploymentId,
      live: this.#live,
      concurrency: options.concurrency,
    });
    const threads = new Threads({
      db,
      queue,
      store: threadStore,
      states,
      checkpoints,
      live: this.#live,
      scheduler: this.#scheduler,
      changes,
      workspaceId,
    });
    const auth = new CustomAuthentication(this.runtime, new OwnedResources(db, deploymentId));
    const admission = new Admission({
      organizationId: options.organizationId,
      workspaceId,
      inProcess: this.#inProcess,
      runtime: this.runtime,
      auth,
      byKey: (request, credentials) => options.authenticate(request, credentials),
      isOwner: (request) => options.isOwner(request),
    });
    const admit: DispatchOptions['authenticate'] = (...asked) => admission.admit(...asked);
    const authenticate: DispatchOptions['authenticate'] = (...asked) => admission.authenticate(...asked);
    const usable = new UsableAssistants(this.#assistants, auth);
    const runs = new Runs({
      db,
      queue,
      store: runStore,
      live: this.#live,
      scheduler: this.#scheduler,
      checkpoints,
      deploymentId,
    });
    const requests = new RunRequests({
      assistants: usable,
      threads: threadStore,
      scheduler: this.#scheduler,
      checkWebhook: (url) => this.#webhooks.check(url),
      feedbackLinks: options.feedbackLinks,
    });
    const searches = new ThreadSearches(db, deploymentId);
    const graphs = new Graphs(this.runtime);
    const source = { db, runs, watch };
    const cronStore = new CronStore(db, deploymentId);
    this.#clock = new CronClock({ store: cronStore, requests, log: options.log });
    const crons = new Crons({
      store: cronStore,
      assistants: this.#assistants,
      usable,
      threads,
      checkWebhook: (url) => this.#webhooks.check(url),
      onChange: () => this.#clock.wake(),
    });
    this.#sweeper = new Sweeper({
      db,
      threads: threadStore,
      checkpoints,
      live: this.#live,
      items,
      log: options.log,
      settings: () => sweepSettings(config()),
      onThreadChange: (action, id) => {
        changes.publish(workspaceId, { resource: 'thread', action, id, deployment_id: deploymentId });
        watch.changed(id);
      },
    });
    const author: AuthorOf = (call) => authorOf(call, config()?.http?.configurable_headers);
    const commands = new ProtocolCommands({ source, requests, threads, states });
    const mcp = new Mcp({
      assistants: this.#assistants,
      usable,
      graphs,
      requests,
      threads: threadStore,
      version: options.version,
    });
    const a2a = new A2a({ requests, runs, threads: threadStore });
    this.#router
      .mount(assistantEndpoints, assistantHandlers(this.#assistants, graphs, threads, auth))
      .mount(threadEndpoints, threadHandlers(threads, states, searches))
      .mount(
        archiveEndpoints,
        archiveHandlers({ db, store: threadStore, threads, states, runtime: this.runtime }),
      )
      .mount(threadStreamEndpoints, threadStreamHandlers(source, threads))
      .mount(runEndpoints, runHandlers(requests, runs, threads, this.#scheduler, author))
      .mount(storeEndpoints, storeHandlers(items))
      .mount(cronEndpoints, cronHandlers(crons, author))
      .mount(protocolEndpoints, protocolHandlers({ source, commands, authorOf: author, auth, logger }))
      .mount(mcpEndpoints, mcpHandlers(mcp, author))
      .mount(
        a2aEndpoints,
        a2aHandlers(a2a, usable, author, {
          version: options.version,
          url: () => this.url ?? '',
        }),
      )
      .mount(
        uiEndpoints,
        uiHandlers({
          bundles: new UiBundles(),
          project: () => admission.project(),
        }),
      )
      .mount(
        systemEndpoints,
        systemHandlers({
          ...options,
          router: this.#router,
          runtime: this.runtime,
          metrics,
          app: customRoutes,
        }),
      );
    const app = new ProjectApp({
      routes: customRoutes,
      inProcess: this.#inProcess,
      config: () => config()?.http,
      cors: () => corsSettings(config()),
      admit,
      authenticate,
    });
    this.#dispatch = {
      router: this.#router,
      logger,
      cors: () => corsSettings(config()),
      logged: (request) => loggedHeaders(request.headers, config()?.http?.logging_headers),
      route: (url) => servedPath(url, config()?.http),
      first: (request, response, endpoint) => app.first(request, response, endpoint),
      otherwise: (request, response) => app.otherwise(request, response),
      bodyLimit: BODY_LIMIT,
      authenticate,
      hold: (caller, end) => {
        const release = options.hold?.(caller, end);
        const takeBack = caller.runId === undefined ? undefined : this.#scheduler.lend(caller.runId);
        return () => {
          release?.();
          takeBack?.();
        };
      },
      authorize: (endpoint, call) => auth.authorize(endpoint, call),
    };
  }

  /** Whether a run of this deployment goes on or waits. */
  get busy(): boolean {
    return this.#live.size > 0;
  }

  get url(): string | undefined {
    return this.#origin?.url;
  }

  /**
   * Listens, loads the graphs, and continues the runs that an earlier server left behind.
   * @param graphs whether to load them now or when they are first needed, or that a roll-out has loaded them.
   * @returns once it listens; the graphs load meanwhile.
   * @throws PortTakenError
   */
  async start(port: number, graphs: 'load' | 'asleep' | 'loaded' = 'load'): Promise<Origin> {
    // Once, also when it is asked again with another port because one was taken.
    this.#opening ??= Promise.withResolvers();
    this.#prepared ??= this.#prepare(graphs);
    await this.#prepared;
    this.#origin = await Origin.listen(port, dispatcher(this.#dispatch), upgradeListener(this.#dispatch));
    this.#opened();
    this.runtime.announce(this.#origin.url);
    this.#endTraces(() =>
      this.#options.traces.endLeftOver(this.#live.all().map(({ identity }) => identity.runId)),
    );
    this.#webhooks.start();
    await this.#clock.start();
    return this.#origin;
  }

  async #prepare(graphs: 'load' | 'asleep' | 'loaded'): Promise<void> {
    if (graphs === 'load') void this.runtime.start();
    else if (graphs === 'asleep') await this.runtime.startAsleep();
    // Before anybody can ask for more: what was under way keeps its place in its thread's line.
    await this.#scheduler.recover();
  }

  /**
   * Lets another source take over, with the default assistants of its graphs.
   * @throws RollOutError, and then nothing has changed; the signal's reason when aborted.
   */
  async rollOut(source: RuntimeSource, signal: AbortSignal): Promise<void> {
    await this.runtime.rollOut(source, signal);
    await this.#synced;
  }

  /** Ends serving. Runs under way are continued by whoever serves the deployment next, unless somebody cancelled them. */
  async stop(): Promise<void> {
    this.#prepared = undefined;
    this.#opened();
    await Promise.all([this.#clock.close(), this.#sweeper.close()]);
    // At once, so that whoever is cut off is not taken for somebody who left.
    const cancelled = this.#scheduler.close();
    await this.#origin?.close();
    this.#origin = undefined;
    await cancelled;
    await this.runtime.stop();
    await this.#scheduler.settled();
    await this.#webhooks.close();
  }

  #opened(): void {
    this.#opening?.resolve();
    this.#opening = undefined;
  }

  /** A trace that cannot be mended costs nothing else. */
  #endTraces(work: () => Promise<void>): void {
    work().catch((error: unknown) => this.#options.logger.warn({ err: error }, 'interrupted traces'));
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
