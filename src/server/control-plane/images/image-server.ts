import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../../process/message-of.ts';
import { pause } from '../../../process/pause.ts';
import { untilAborted } from '../../../process/until-aborted.ts';
import type { AccessOptions } from '../../agent-server/agent-server-options.ts';
import { HttpError } from '../../http/errors.ts';
import { Origin } from '../../http/origin.ts';
import { KeyedMutex } from '../../keyed-mutex.ts';
import type { Logger } from '../../logger.ts';
import type { LogBook } from '../../runtimes/output/log-book.ts';
import { Deaths } from '../../runtimes/process/deaths.ts';
import { RollOutError, RuntimeUnavailableError } from '../../runtimes/process/runtime-errors.ts';
import type { ImageLaunch } from './container.ts';
import { imageListeners } from './image-listeners.ts';
import type { ServingContainer, TakenContainer } from './serving-container.ts';
import { mayHaveUnfinishedWork } from './unfinished-work.ts';

/** How long pending requests may take when their container must end before the next one starts. */
const DRAIN_MS = 10_000;
/** How long pending requests may take when the next container is already running. */
const MAX_RETIRED_MS = 3_600_000;
/** The pause between checks whether a container still has requests. */
const BUSY_CHECK_MS = 50;
/** For this long after a failed start, requests get its error without another attempt. */
const RETRY_MS = 1_000;
/** The pause between checks whether the container can sleep. */
const SLEEP_CHECK_MS = 5_000;
/** The key of the lock for the volumes, which only one container may use at a time. */
const VOLUMES = 'volumes';

export interface ImageServerOptions {
  readonly log: LogBook;
  readonly logger: Logger;
  readonly access: AccessOptions;
  /** Milliseconds without work after which the container is stopped until it is needed again. */
  readonly sleepAfterMs: number;
  /**
   * Starts a container, with the deployment's volumes, or with new ones for a trial.
   * @throws RollOutError; the signal's reason when aborted.
   */
  startContainer(launch: ImageLaunch, volumes: 'own' | 'new', signal: AbortSignal): Promise<ServingContainer>;
}

/**
 * Serves a deployment from a container of its image. An idle container is stopped ("sleeps") and started again ("woken")
 * by the next request. During a rollout, the container of the earlier revision finishes its requests while the next one
 * already runs, unless the image has volumes: two servers must never share files, so only one operation at a time may
 * start or end the container that has the volumes.
 */
export class ImageServer {
  readonly #options: ImageServerOptions;
  readonly #mutex = new KeyedMutex();
  #origin: Origin | undefined;
  /** Returns how to start the container; called each time, because the container tool may not be running yet. */
  #launch: (() => Promise<ImageLaunch>) | undefined;
  #current: ServingContainer | undefined;
  /**
   * Whether one container is being replaced by the next. Requests then wait, although the current container is still
   * running.
   */
  #isHandingOver = false;
  /**
   * Containers of earlier revisions that only finish their pending requests, with promises that resolve when
   * the containers have been stopped.
   */
  readonly #retired = new Map<ServingContainer, Promise<void>>();
  #waking: Promise<void> | undefined;
  /** The last start of a container, if it failed; `at` is a time of `performance.now()`. */
  #lastFailure: { readonly message: string; readonly at: number } | undefined;
  #isReviving = false;
  /** How many times in a row the container has ended early or could not be started. */
  readonly #deaths = new Deaths();
  #sleepTimer: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  constructor(options: ImageServerOptions) {
    this.#options = options;
  }

  /** Whether a request is in progress. */
  get busy(): boolean {
    return this.#current?.isBusy === true || [...this.#retired.keys()].some(({ isBusy }) => isBusy);
  }

  get url(): string | undefined {
    return this.#origin?.url;
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
   * Starts listening. A container of an earlier server is started again, because it may have crons.
   * @throws PortTakenError
   */
  async start(port: number): Promise<Origin> {
    const { access, logger } = this.#options;
    const take = (left: AbortSignal) => this.#take(left);
    const { onRequest, onUpgrade } = imageListeners({ access, logger, take });
    this.#origin = await Origin.listen(port, onRequest, onUpgrade);
    this.#sleepTimer = this.#startSleepTimer();
    void this.#revive();
    return this.#origin;
  }

  /**
   * Sets the image for the next start.
   * @param launch rejects with the reason while the image cannot be started.
   */
  prepare(launch: () => Promise<ImageLaunch>): void {
    this.#launch = launch;
  }

  /**
   * Serves another revision as soon as its container answers; until then, and if that fails, nothing changes.
   * If the image has volumes, the earlier container is stopped first, and started again after a failure.
   * @throws RollOutError; the signal's reason when aborted.
   */
  async rollOut(launch: ImageLaunch, signal: AbortSignal): Promise<void> {
    const stopped = AbortSignal.any([signal, this.#closing.signal]);
    if (launch.image.volumes.length === 0) {
      const container = await this.#options.startContainer(launch, 'own', stopped);
      await this.#mutex.run(VOLUMES, () => this.#replace(launch, container, stopped));
      return;
    }
    // The image is tried out first, in a container with new volumes.
    if (this.#current !== undefined) {
      const trial = await this.#options.startContainer(launch, 'new', stopped);
      await trial.stop();
    }
    await this.#mutex.run(VOLUMES, () => this.#handOver(launch, stopped));
  }

  /** Stops serving, and ends its containers. */
  async stop(): Promise<void> {
    this.#closing.abort(new RuntimeUnavailableError('The server is stopping.'));
    clearInterval(this.#sleepTimer);
    await this.#origin?.close();
    this.#origin = undefined;
    await this.#mutex.run(VOLUMES, async () => {
      const container = this.#current;
      this.#current = undefined;
      await Promise.all([container?.stop(), ...this.#retired.values()]);
    });
  }

  /** Ends the container, and all others that may use its files, before it starts the next one. */
  async #handOver(launch: ImageLaunch, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const before = this.#current;
    this.#isHandingOver = true;
    try {
      const old = [...this.#retired.keys(), ...(before === undefined ? [] : [before])];
      const end = performance.now() + DRAIN_MS;
      while (old.some(({ isBusy }) => isBusy) && performance.now() < end)
        await delay(BUSY_CHECK_MS, undefined, { signal });
      this.#current = undefined;
      await Promise.all(old.map((container) => container.stop()));
      await this.#replace(launch, await this.#options.startContainer(launch, 'own', signal), signal);
    } catch (error) {
      // If its container was stopped, the previous revision is started again.
      if (before !== undefined && this.#current === undefined) void this.#revive();
      throw error;
    } finally {
      this.#isHandingOver = false;
    }
  }

  /** Makes a started container the current one, and retires the previous one. */
  async #replace(launch: ImageLaunch, container: ServingContainer, signal: AbortSignal): Promise<void> {
    if (signal.aborted) await container.stop();
    signal.throwIfAborted();
    const before = this.#current;
    this.#launch = async () => launch;
    this.#deaths.reset();
    this.#lastFailure = undefined;
    this.#use(container);
    if (before !== undefined) this.#retired.set(before, this.#retire(before));
  }

  /** Stops a container when its requests have ended, or after `MAX_RETIRED_MS`. */
  async #retire(container: ServingContainer): Promise<void> {
    const { signal } = this.#closing;
    const end = performance.now() + MAX_RETIRED_MS;
    try {
      while (container.isBusy && performance.now() < end) await delay(BUSY_CHECK_MS, undefined, { signal });
    } catch {
      // The server is ending, and its containers with it.
    }
    await container.stop();
    this.#retired.delete(container);
  }

  /** Sends requests to a container from now on, and starts it again if it ends by itself. */
  #use(container: ServingContainer): void {
    this.#current = container;
    const startedAt = performance.now();
    void container.exited.then((reason) => {
      if (this.#current !== container || this.#closing.signal.aborted) return;
      this.#current = undefined;
      this.#options.log.write('ERROR', `${reason.split('\n', 1)[0]} Starting it again.`);
      this.#deaths.note(performance.now() - startedAt);
      // The command that ran the container may have ended before the container, so its volumes are only free
      // when it has been removed.
      void this.#mutex.run(VOLUMES, () => container.stop());
      void this.#revive();
    });
  }

  /** Starts the container: immediately if it had run steadily, otherwise after pauses that double. */
  async #revive(): Promise<void> {
    if (this.#isReviving) return;
    this.#isReviving = true;
    const { signal } = this.#closing;
    try {
      while (this.#current === undefined && !signal.aborted) {
        await pause(this.#deaths.pauseMs, { signal });
        // The error is reported to requests; here, it only makes the pause longer.
        await this.#wake().catch(() => this.#deaths.note(0));
      }
    } finally {
      this.#isReviving = false;
    }
  }

  /**
   * The container that answers a request.
   * @param left aborts the wait when the client has left.
   * @throws HttpError 503; the signal's reason when aborted.
   */
  async #take(left: AbortSignal): Promise<TakenContainer> {
    for (;;) {
      left.throwIfAborted();
      const container = this.#current;
      if (container !== undefined && !this.#isHandingOver) return { container, release: container.take() };
      const woken = this.#wake().catch((error: unknown) => {
        throw new HttpError(503, messageOf(error).split('\n', 1)[0] ?? '');
      });
      await untilAborted(woken, left);
    }
  }

  /** Starts the container unless it runs. @throws Error with the reason when it cannot be started. */
  #wake(): Promise<void> {
    const failure = this.#lastFailure;
    if (failure !== undefined && performance.now() - failure.at < RETRY_MS) {
      return Promise.reject(new RuntimeUnavailableError(failure.message));
    }
    this.#waking ??= this.#mutex
      .run(VOLUMES, async () => {
        if (this.#current === undefined) await this.#startCurrent();
      })
      .finally(() => {
        this.#waking = undefined;
      });
    return this.#waking;
  }

  async #startCurrent(): Promise<void> {
    const { signal } = this.#closing;
    if (this.#launch === undefined || signal.aborted) {
      throw new RuntimeUnavailableError('This deployment is not served now.');
    }
    try {
      this.#use(await this.#options.startContainer(await this.#launch(), 'own', signal));
      this.#lastFailure = undefined;
    } catch (error) {
      if (!signal.aborted) {
        const message = messageOf(error);
        const isLogged =
          (error instanceof RollOutError && error.isLogged) || this.#lastFailure?.message === message;
        if (!isLogged) this.#options.log.write('ERROR', message);
        this.#lastFailure = { message, at: performance.now() };
      }
      throw error;
    }
  }

  /** Stops the container if it is idle and has no work in the background. */
  async #fallAsleep(): Promise<void> {
    const { sleepAfterMs, log } = this.#options;
    const container = this.#current;
    const isIdle = () =>
      container !== undefined && this.#current === container && container.idleMs >= sleepAfterMs;
    if (container === undefined || !isIdle()) return;
    if (await mayHaveUnfinishedWork(container, log)) return;
    await this.#mutex.run(VOLUMES, async () => {
      // A request may have started work in the meantime.
      if (!isIdle()) return;
      this.#current = undefined;
      log.write('DEBUG', 'The container is idle and was stopped. It starts again when needed.');
      await container.stop();
    });
  }

  /** Starts to check whether the container can sleep. @returns the timer of the checks. */
  #startSleepTimer(): NodeJS.Timeout {
    let isChecking = false;
    return setInterval(
      () => {
        if (isChecking) return;
        isChecking = true;
        void this.#fallAsleep().finally(() => {
          isChecking = false;
        });
      },
      Math.min(this.#options.sleepAfterMs, SLEEP_CHECK_MS),
    ).unref();
  }
}
