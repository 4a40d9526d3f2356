import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../../process/message-of.ts';
import type { AccessOptions } from '../../agent-server/agent-server-options.ts';
import { HttpError } from '../../http/errors.ts';
import { Origin } from '../../http/origin.ts';
import type { Logger } from '../../logger.ts';
import type { LogBook } from '../../runtimes/log-book.ts';
import { RollOutError, RuntimeUnavailableError } from '../../runtimes/runtime-errors.ts';
import type { Container, ImageLaunch } from './container.ts';
import { imageListeners } from './image-listeners.ts';
import { hasUnfinishedWork } from './unfinished-work.ts';

/** How long requests under way may take when their container must end before the next one starts. */
const DRAIN_MS = 10_000;
/** How long they may take when the next one runs already. */
const MAX_RETIRED_MS = 3_600_000;
const LOOK_MS = 50;
const STEADY_MS = 10_000;
/** Between attempts to start a container that did not start. */
const RETRY_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
const CHECK_SLEEP_MS = 5_000;

export interface ImageServerOptions {
  readonly log: LogBook;
  readonly logger: Logger;
  readonly access: AccessOptions;
  /** Milliseconds without work after which the container ends until there is some again. */
  readonly sleepAfterMs: number;
  /**
   * Starts a container, which has the deployment's volumes, or new ones to try it.
   * @throws RollOutError; the signal's reason when aborted.
   */
  startContainer(launch: ImageLaunch, volumes: 'own' | 'new', signal: AbortSignal): Promise<Container>;
}

/** Serves a deployment from containers of its image: one at a time, or two while one takes over from the other. */
export class ImageServer {
  readonly #options: ImageServerOptions;
  #origin: Origin | undefined;
  #launch: ImageLaunch | undefined;
  #current: Container | undefined;
  /** Containers that only finish what they have begun. */
  readonly #retired = new Set<Container>();
  #waking: Promise<void> | undefined;
  /** Requests wait for it: one container has ended, and the next has not started. */
  #gate: Promise<void> | undefined;
  #failed: { readonly message: string; readonly at: number } | undefined;
  #deaths = 0;
  #sleepTimer: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  constructor(options: ImageServerOptions) {
    this.#options = options;
  }

  /** Whether a request is under way. */
  get busy(): boolean {
    return this.#current?.isBusy === true || [...this.#retired].some(({ isBusy }) => isBusy);
  }

  get url(): string | undefined {
    return this.#origin?.url;
  }

  get port(): number | undefined {
    return this.#origin?.port;
  }

  get log(): LogBook {
    return this.#options.log;
  }

  /**
   * Listens. A container that an earlier server had is started again, because it may have crons.
   * @throws PortTakenError
   */
  async start(port: number): Promise<Origin> {
    const { access, logger } = this.#options;
    const { onRequest, onUpgrade } = imageListeners({ access, logger, take: () => this.#take() });
    this.#origin = await Origin.listen(port, onRequest, onUpgrade);
    this.#sleepTimer = this.#fallAsleepWhenIdle();
    if (this.#current === undefined) void this.#wake().catch(() => {});
    return this.#origin;
  }

  /** What is served from the next start on. */
  prepare(launch: ImageLaunch): void {
    this.#launch = launch;
  }

  /**
   * Serves another revision as soon as its container answers; until then, and if it fails, nothing changes.
   * @throws RollOutError; the signal's reason when aborted.
   */
  async rollOut(launch: ImageLaunch, signal: AbortSignal): Promise<void> {
    const stopped = AbortSignal.any([signal, this.#closing.signal]);
    await this.#waking?.catch(() => {});
    if (launch.image.volumes.length === 0) {
      this.#replace(launch, await this.#options.startContainer(launch, 'own', stopped));
      return;
    }
    // Two servers must not have the same files. The new one shows elsewhere that it works.
    if (this.#current !== undefined) {
      const trial = await this.#options.startContainer(launch, 'new', stopped);
      await trial.stop();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    try {
      await this.#handOver(launch, stopped);
    } finally {
      this.#gate = undefined;
      resolve();
    }
  }

  /** Stops serving, and ends its containers. */
  async stop(): Promise<void> {
    this.#closing.abort(new RuntimeUnavailableError('The server is stopping.'));
    clearInterval(this.#sleepTimer);
    await this.#origin?.close();
    this.#origin = undefined;
    await this.#waking?.catch(() => {});
    const containers = [...this.#retired, ...(this.#current === undefined ? [] : [this.#current])];
    this.#current = undefined;
    await Promise.all(containers.map((container) => container.stop()));
  }

  async #handOver(launch: ImageLaunch, signal: AbortSignal): Promise<void> {
    await this.#waking?.catch(() => {});
    const before = this.#current;
    if (before !== undefined) {
      const end = performance.now() + DRAIN_MS;
      while (before.isBusy && performance.now() < end) await delay(LOOK_MS, undefined, { signal });
      this.#current = undefined;
      await before.stop();
    }
    try {
      this.#replace(launch, await this.#options.startContainer(launch, 'own', signal));
    } catch (error) {
      if (before !== undefined) void this.#wake().catch(() => {});
      throw error;
    }
  }

  #replace(launch: ImageLaunch, container: Container): void {
    const before = this.#current;
    this.#launch = launch;
    this.#deaths = 0;
    this.#failed = undefined;
    this.#use(container);
    if (before !== undefined) void this.#retire(before);
  }

  async #retire(container: Container): Promise<void> {
    this.#retired.add(container);
    const { signal } = this.#closing;
    const end = performance.now() + MAX_RETIRED_MS;
    try {
      while (container.isBusy && performance.now() < end) await delay(LOOK_MS, undefined, { signal });
    } catch {
      // The server ends, and its containers with it.
    }
    await container.stop();
    this.#retired.delete(container);
  }

  #use(container: Container): void {
    this.#current = container;
    const startedAt = performance.now();
    void container.exited.then((reason) => {
      if (this.#current !== container || this.#closing.signal.aborted) return;
      this.#current = undefined;
      this.#options.log.write('ERROR', `${reason.split('\n', 1)[0]} Starting it again.`);
      this.#deaths = performance.now() - startedAt > STEADY_MS ? 0 : this.#deaths + 1;
      void container.stop();
      void this.#revive();
    });
  }

  /** Starts the container again: at once, and then after pauses that become longer. */
  async #revive(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#current === undefined && !signal.aborted) {
      const pause = this.#deaths === 0 ? 0 : Math.min(MAX_PAUSE_MS, 250 * 2 ** this.#deaths);
      await delay(pause, undefined, { signal }).catch(() => {});
      if (signal.aborted || this.#gate !== undefined) return;
      await this.#wake().catch(() => {
        this.#deaths++;
      });
    }
  }

  /** The container that answers a request, which counts as under way until the returned function is called. */
  async #take(): Promise<{ container: Container; release: () => void }> {
    for (;;) {
      if (this.#gate !== undefined) await this.#gate;
      else if (this.#current !== undefined)
        return { container: this.#current, release: this.#current.take() };
      else {
        await this.#wake().catch((error: unknown) => {
          throw new HttpError(503, messageOf(error).split('\n', 1)[0] ?? '');
        });
      }
    }
  }

  /** @throws Error with the reason when no container can be started. */
  #wake(): Promise<void> {
    const failed = this.#failed;
    if (failed !== undefined && performance.now() - failed.at < RETRY_MS) {
      return Promise.reject(new RuntimeUnavailableError(failed.message));
    }
    this.#waking ??= this.#startCurrent().finally(() => {
      this.#waking = undefined;
    });
    return this.#waking;
  }

  async #startCurrent(): Promise<void> {
    const launch = this.#launch;
    const { signal } = this.#closing;
    if (launch === undefined || signal.aborted) {
      throw new RuntimeUnavailableError('This deployment is not served now.');
    }
    try {
      const container = await this.#options.startContainer(launch, 'own', signal);
      // Another revision may have been rolled out meanwhile.
      if (launch !== this.#launch || this.#current !== undefined) await container.stop();
      else this.#use(container);
      this.#failed = undefined;
    } catch (error) {
      if (!signal.aborted) {
        this.#failed = { message: messageOf(error), at: performance.now() };
        const isLogged = error instanceof RollOutError && error.isLogged;
        if (!isLogged) this.#options.log.write('ERROR', messageOf(error));
      }
      throw error;
    }
  }

  #fallAsleepWhenIdle(): NodeJS.Timeout {
    const { sleepAfterMs, log } = this.#options;
    const check = async () => {
      const container = this.#current;
      if (container === undefined || container.idleMs < sleepAfterMs) return;
      if (await hasUnfinishedWork(container)) return;
      // What was asked meanwhile may have brought work.
      if (this.#current !== container || container.idleMs < sleepAfterMs) return;
      this.#current = undefined;
      log.write('DEBUG', 'The container is idle and was stopped. It starts again when needed.');
      const stopped = container.stop();
      // The next one may need the same files.
      const gate = stopped.finally(() => {
        if (this.#gate === gate) this.#gate = undefined;
      });
      this.#gate = gate;
    };
    let isChecking = false;
    return setInterval(
      () => {
        if (isChecking || this.#gate !== undefined) return;
        isChecking = true;
        void check().finally(() => {
          isChecking = false;
        });
      },
      Math.min(sleepAfterMs, CHECK_SLEEP_MS),
    ).unref();
  }
}
