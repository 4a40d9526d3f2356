import { settled } from '../../process/settled.ts';
import { type Origin, PortTakenError } from '../http/origin.ts';
import type { Logger } from '../logger.ts';
import type { LogBook } from '../runtimes/output/log-book.ts';
import type { GraphsAtStart } from './agent-server.ts';
import type { Measured } from './monitoring/metrics-text.ts';

/** A deployment that is served at its own address: by an agent server, or by a container of its image. */
export interface ServedAgent {
  /** Whether it has work that must not be interrupted. */
  readonly busy: boolean;
  readonly url: string | undefined;
  readonly port: number | undefined;
  /** Undefined while it does not listen. */
  readonly origin: Origin | undefined;
  readonly log: LogBook;
  /** @throws PortTakenError */
  start(port: number, graphs?: GraphsAtStart): Promise<unknown>;
  /** @returns undefined for a deployment of another workspace. */
  measure?(workspaces: ReadonlySet<string>): Promise<Measured | undefined>;
  setPaused?(isPaused: boolean): void;
  /** Leaves its work to other servers. Waits until that is done, or the signal is aborted. */
  drain?(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** Where and how to start serving. */
export interface PlaceToServe {
  /** The port to listen on; 0 means any free one. */
  readonly port: number;
  /** Whether to use another port, or to fail, if another program uses this one. */
  readonly whenTaken: 'another' | 'fail';
  readonly graphs?: GraphsAtStart;
}

/** The running agent servers by deployment ID, each at its own address. */
export class AgentServers {
  readonly #logger: Logger;
  readonly #served = new Map<string, ServedAgent>();
  /**
   * Servers that are stopping. Their successors wait, because they must not continue runs that these servers
   * still have.
   */
  readonly #stopping = new Map<string, Promise<void>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Whether any deployment has work that must not be interrupted. */
  get busy(): boolean {
    return [...this.#served.values()].some((server) => server.busy);
  }

  get ports(): number[] {
    return [...this.#served.values()].flatMap(({ port }) => port ?? []);
  }

  /** The origin at which a deployment is served; undefined if it is not served, or does not listen yet. */
  originOf(deploymentId: string): Origin | undefined {
    return this.#served.get(deploymentId)?.origin;
  }

  /** The URL at which a deployment is served; undefined if it is not served, or does not listen yet. */
  urlOf(deploymentId: string): string | undefined {
    return this.#served.get(deploymentId)?.url;
  }

  /**
   * Serves a deployment once its previous server has ended. A server that cannot listen is stopped.
   * @throws PortTakenError
   */
  async start(deploymentId: string, server: ServedAgent, place: PlaceToServe): Promise<void> {
    await settled(this.#stopping.get(deploymentId) ?? Promise.resolve());
    // Two servers would execute all runs twice.
    if (this.#served.has(deploymentId)) throw new Error(`Deployment ${deploymentId} is already served.`);
    this.#served.set(deploymentId, server);
    try {
      await this.#listen(deploymentId, server, place);
    } catch (error) {
      this.#served.delete(deploymentId);
      await server.stop();
      throw error;
    }
  }

  async #listen(
    deploymentId: string,
    server: ServedAgent,
    { port, whenTaken, graphs }: PlaceToServe,
  ): Promise<void> {
    try {
      await server.start(port, graphs);
    } catch (error) {
      if (!(error instanceof PortTakenError) || whenTaken === 'fail' || port === 0) throw error;
      this.#logger.warn({ port, deployment_id: deploymentId }, 'the port of a deployment is not available');
      await server.start(0, graphs);
      server.log.write('WARNING', `${error.message} This agent is at ${server.url}.`);
    }
  }

  /** Stops serving a deployment; its data stays. */
  stop(deploymentId: string): Promise<void> {
    const server = this.#served.get(deploymentId);
    if (server === undefined) return this.#stopping.get(deploymentId) ?? Promise.resolve();
    this.#served.delete(deploymentId);
    const stopping = server.stop().finally(() => this.#stopping.delete(deploymentId));
    this.#stopping.set(deploymentId, stopping);
    return stopping;
  }

  /**
   * The metrics of everything that is served for some workspaces, except deployments that serve themselves in
   * a container.
   */
  async measureAll(workspaces: ReadonlySet<string>): Promise<Measured[]> {
    const measured = await Promise.all(
      [...this.#served.values()].map((server) => server.measure?.(workspaces)),
    );
    return measured.filter((one) => one !== undefined);
  }

  /** Pauses the runs of these deployments, and resumes those of all others. */
  setPaused(paused: ReadonlySet<string>): void {
    for (const [id, server] of this.#served) server.setPaused?.(paused.has(id));
  }

  /**
   * Leaves the work of all deployments to other servers. Waits until that is done, or the signal is aborted.
   */
  async drainAll(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#served.values()].map((server) => server.drain?.(signal)));
  }

  /** Stops all servers, and waits for those that are already stopping. */
  async stopAll(): Promise<void> {
    const ids = new Set([...this.#stopping.keys(), ...this.#served.keys()]);
    await Promise.all([...ids].map((id) => this.stop(id)));
  }
}
