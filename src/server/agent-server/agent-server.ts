import type { RuntimeState } from '../../contract/harbor.ts';
import { type DispatchOptions, dispatcher } from '../http/dispatch.ts';
import { Origin } from '../http/origin.ts';
import { upgradeListener } from '../http/upgrade.ts';
import type { DeploymentRuntime, RuntimeSource } from '../runtimes/deployment-runtime.ts';
import type { AgentServerOptions } from './agent-server-options.ts';
import { answerRequests } from './answer-requests.ts';
import { type AgentServerParts, makeParts } from './make-parts.ts';
import { runtimeLink } from './runtime-link.ts';

/** One deployment's agent server: its graphs in their runtime, and the interface to them at an address of its own. */
export class AgentServer {
  readonly #options: AgentServerOptions;
  readonly #parts: AgentServerParts;
  readonly #dispatch: DispatchOptions;
  #origin: Origin | undefined;
  /** Settles when everything is as it must be before anybody can ask for anything. */
  #prepared: Promise<void> | undefined;
  /** Settles when what follows from the runtime's newest state has been done. */
  #synced: Promise<void> = Promise.resolve();

  constructor(options: AgentServerOptions) {
    this.#options = options;
    this.#parts = makeParts(options);
    this.#dispatch = answerRequests(options, this.#parts);
    const { runtime, stores, live, customRoutes } = this.#parts;
    runtime.connect({
      ...runtimeLink({ ...stores, live, log: options.log, customRoutes }),
      onState: (state) => {
        this.#synced = this.#onRuntimeState(state);
      },
    });
  }

  get runtime(): DeploymentRuntime {
    return this.#parts.runtime;
  }

  /** Whether a run of this deployment goes on or waits. */
  get busy(): boolean {
    return this.#parts.live.size > 0;
  }

  get url(): string | undefined {
    return this.#parts.address.url;
  }

  /**
   * Listens, loads the graphs, and continues the runs that an earlier server left behind.
   * @param graphs whether to load them now or when they are first needed, or that a roll-out has loaded them.
   * @returns once it listens; the graphs load meanwhile.
   * @throws PortTakenError
   */
  async start(port: number, graphs: 'load' | 'asleep' | 'loaded' = 'load'): Promise<Origin> {
    const { address, runtime, live, cutOffTraces, webhooks, clock } = this.#parts;
    // Once, also when it is asked again with another port because one was taken.
    address.expect();
    this.#prepared ??= this.#prepare(graphs);
    await this.#prepared;
    this.#origin = await Origin.listen(port, dispatcher(this.#dispatch), upgradeListener(this.#dispatch));
    address.set(this.#origin.url);
    runtime.announce(this.#origin.url);
    cutOffTraces.endLeftOver(live.all());
    webhooks.start();
    await clock.start();
    return this.#origin;
  }

  async #prepare(graphs: 'load' | 'asleep' | 'loaded'): Promise<void> {
    const { runtime, scheduler } = this.#parts;
    if (graphs === 'load') void runtime.start();
    else if (graphs === 'asleep') await runtime.startAsleep();
    // Before anybody can ask for more: what was under way keeps its place in its thread's line.
    await scheduler.recover();
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
    const { address, runtime, scheduler, sweeper, webhooks, clock } = this.#parts;
    this.#prepared = undefined;
    address.giveUp();
    await Promise.all([clock.close(), sweeper.close()]);
    // At once, so that whoever is cut off is not taken for somebody who left.
    const cancelled = scheduler.close();
    await this.#origin?.close();
    this.#origin = undefined;
    address.set(undefined);
    await cancelled;
    await runtime.stop();
    await scheduler.settled();
    await webhooks.close();
  }

  async #onRuntimeState(state: RuntimeState): Promise<void> {
    const { runtime, assistants } = this.#parts;
    if (state.state === 'ready') {
      await assistants
        .syncDefaults(runtime.project?.graphs ?? {})
        .catch((error: unknown) => this.#options.host.logger.error({ err: error }, 'default assistants'));
    }
    this.#options.onRuntimeState(state);
  }
}
