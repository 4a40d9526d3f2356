import type { RuntimeState } from '../../contract/harbor.ts';
import { type DispatchOptions, dispatcher } from '../http/dispatch.ts';
import { Origin } from '../http/origin.ts';
import { upgradeListener } from '../http/upgrade.ts';
import type { DeploymentRuntime } from '../runtimes/deployment-runtime.ts';
import type { RuntimeSource } from '../runtimes/generations/runtime-source.ts';
import type { LogBook } from '../runtimes/output/log-book.ts';
import type { FindSource } from '../runtimes/revision-runtimes.ts';
import type { AgentServerOptions } from './agent-server-options.ts';
import { dispatchOptions } from './api/dispatch-options.ts';
import { runtimeLink } from './api/runtime-link.ts';
import { type AgentServerParts, makeParts } from './assembly/make-parts.ts';
import type { Measured } from './monitoring/metrics-text.ts';

/** Whether graphs are loaded at the start or on first use, or have already been loaded by a rollout. */
export type GraphsAtStart = 'load' | 'asleep' | 'loaded';

/** The agent server of one deployment: its graphs in their runtime, and its API at its own URL. */
export class AgentServer {
  readonly #options: AgentServerOptions;
  readonly #parts: AgentServerParts;
  readonly #dispatch: DispatchOptions;
  #origin: Origin | undefined;
  /** Resolves when the server is ready for its first request. */
  #prepared: Promise<void> | undefined;
  /** Resolves when the runtime's newest state has been handled. */
  #synced: Promise<void> = Promise.resolve();

  constructor(options: AgentServerOptions) {
    this.#options = options;
    this.#parts = makeParts(options);
    this.#dispatch = dispatchOptions(options, this.#parts);
    const { runtime, runtimes, stores, live, customRoutes, recorder, replays, costs, scheduler, states } =
      this.#parts;
    runtimes.connect({
      ...runtimeLink({
        ...stores,
        live,
        log: options.log,
        customRoutes,
        recorder,
        replays,
        costs,
        onRefused: (threadId, error) => states.noteRefusal(threadId, error),
        onSuperstep: (run) => scheduler.leaveAfterStep(run),
        onBlocking: (call) => runtime.noteBlocking(call),
      }),
      databaseBack: () => stores.queue.reconnected,
      onState: (state) => {
        this.#synced = this.#onRuntimeState(state);
      },
    });
  }

  get runtime(): DeploymentRuntime {
    return this.#parts.runtime;
  }

  /** Whether a run of this deployment is running, or is pending while the deployment is not paused. */
  get busy(): boolean {
    const { live, scheduler } = this.#parts;
    return scheduler.isPaused ? live.all().some(({ state }) => state === 'running') : live.size > 0;
  }

  get url(): string | undefined {
    return this.#parts.address.url;
  }

  /**
   * The deployment's metrics, with labels that distinguish them from those of other deployments.
   * @returns undefined for a deployment of another workspace.
   */
  async measure(workspaces: ReadonlySet<string>): Promise<Measured | undefined> {
    const { id, workspaceId, name } = this.#options.deployment;
    if (!workspaces.has(workspaceId)) return undefined;
    return { labels: { deployment: name, deployment_id: id }, numbers: await this.#parts.metrics.read() };
  }

  get origin(): Origin | undefined {
    return this.#origin;
  }

  get port(): number | undefined {
    return this.#origin?.port;
  }

  get log(): LogBook {
    return this.#options.log;
  }

  /**
   * Listens, loads the graphs, and continues the runs of an earlier server.
   * @returns once it listens; the graphs may still be loading.
   * @throws PortTakenError
   */
  async start(port: number, graphs: GraphsAtStart = 'load'): Promise<Origin> {
    const { address, runtimes, live, orphanedTraces, abandonedTraces, webhooks, clock } = this.#parts;
    // If the first port is in use, this method is called again with another port, but prepares only once.
    address.announce();
    this.#prepared ??= this.#prepare(graphs);
    await this.#prepared;
    this.#origin = await Origin.listen(port, dispatcher(this.#dispatch), upgradeListener(this.#dispatch), {
      networkAddress: this.#options.networkAddress,
    });
    address.set(this.#origin.url);
    runtimes.announce(this.#origin.url);
    // In a team, each server ends the traces of the runs that it ends for other servers, and one server ends
    // the traces that lost servers have left open.
    if (abandonedTraces !== undefined) abandonedTraces.start();
    else orphanedTraces.endOrphanedTraces(live.all());
    webhooks.start();
    await clock.start();
    return this.#origin;
  }

  async #prepare(graphs: GraphsAtStart): Promise<void> {
    const { runtime, scheduler, stores } = this.#parts;
    const { deployment, host } = this.#options;
    await stores.db.serve(deployment.id);
    scheduler.setPaused(await host.pauses.read(deployment.id));
    if (graphs === 'load') void runtime.start();
    else if (graphs === 'asleep') await runtime.startAsleep();
    // This happens before requests arrive, so that earlier runs keep their place in the queue of their
    // thread.
    await scheduler.recover();
  }

  /** Pauses or resumes the deployment. While it is paused, pending runs are not started. */
  setPaused(isPaused: boolean): void {
    this.#parts.scheduler.setPaused(isPaused);
  }

  /**
   * Switches to another source, and updates the default assistants to match its graphs.
   * @throws RollOutError, without any change; the signal's reason when aborted.
   */
  async rollOut(source: RuntimeSource, signal: AbortSignal): Promise<void> {
    await this.runtime.rollOut(source, signal);
    await this.#synced;
    // Requests may refer to the default assistants before anything has loaded the graphs.
    if (this.runtime.state.state === 'stopped') await this.#syncDefaultAssistants();
  }

  /**
   * Lets runs that have begun on a revision continue on it in every attempt, even after another revision is
   * served.
   * @param findSource called when a run needs another attempt on that revision.
   */
  keepRevision(revisionId: string, findSource: FindSource): void {
    this.#parts.runtimes.keep(revisionId, findSource);
  }

  /** Whether an unfinished run on this server has begun on a revision. */
  hasRunsOf(revisionId: string): boolean {
    return this.#parts.live.all().some((run) => run.revisionId === revisionId);
  }

  /** Stops keeping a revision. Its runs are interrupted, and continue on the revision that is served. */
  async endRevision(revisionId: string): Promise<void> {
    await this.#parts.runtimes.end(revisionId);
  }

  /**
   * Prepares to stop while other servers continue: reports that it is not ready, starts no runs, and leaves
   * its runs to others at the end of their supersteps. Requests that wait for a run are still answered.
   * @param signal ends the wait.
   */
  async drain(signal: AbortSignal): Promise<void> {
    const { readiness, clock, scheduler } = this.#parts;
    readiness.end();
    await clock.close();
    await scheduler.drain(signal);
    await this.#origin?.waitForAnswers(signal);
  }

  /** Stops serving. Unfinished runs are continued by the next server, unless they were canceled. */
  async stop(): Promise<void> {
    const { address, runtimes, scheduler, stores, sharing, sweeper, webhooks, clock, abandonedTraces } =
      this.#parts;
    this.#prepared = undefined;
    address.cancel();
    abandonedTraces?.close();
    await Promise.all([clock.close(), sweeper.close()]);
    // The scheduler is closed first, so that readers that the stop disconnects do not cancel their runs.
    const cancelled = scheduler.close();
    await this.#origin?.close();
    this.#origin = undefined;
    address.set(undefined);
    await cancelled;
    sharing?.close();
    await runtimes.stop();
    await scheduler.waitUntilSettled();
    await webhooks.close();
    // If the database cannot be updated, other servers notice when this server has ended.
    await stores.db.stopServing(this.#options.deployment.id).catch(() => {});
  }

  async #onRuntimeState(state: RuntimeState): Promise<void> {
    if (state.state === 'ready') {
      const { project } = this.#parts.runtime;
      if (project !== undefined) this.#options.tracing.usePrices(project.dir);
      await this.#syncDefaultAssistants();
    }
    this.#options.onRuntimeState(state);
  }

  async #syncDefaultAssistants(): Promise<void> {
    const { runtime, assistants } = this.#parts;
    await assistants
      .syncDefaults(runtime.project?.graphs ?? {})
      .catch((error: unknown) =>
        this.#options.host.logger.error({ err: error }, 'could not update the default assistants'),
      );
  }
}
