import { CHANGES_SILENCE_MS, readChanges } from '../client/changes.ts';
import { type EventStream, SILENT } from '../client/event-stream.ts';
import { RequestError } from '../client/request-error.ts';
import type { Change } from '../contract/harbor.ts';
import { pause } from '../process/pause.ts';
import { ensureServer, type LauncherOptions } from './ensure-server.ts';
import { LaunchError } from './launch-error.ts';
import { isAlive } from './process-life.ts';
import { harborOf, type RunningServer } from './running-server.ts';

/** The state of a client's connection to its server. */
export type PresenceState =
  | { readonly state: 'starting' }
  | { readonly state: 'connected'; readonly server: RunningServer }
  /** The connection was lost. The server is being found or restarted; `attempt` counts from 1. */
  | {
      readonly state: 'reconnecting';
      readonly reason: string;
      readonly attempt: number;
      /** Whether the server's process exists but does not answer. */
      readonly isSilent: boolean;
    }
  /** There are no more attempts until `retry()` is called. */
  | { readonly state: 'failed'; readonly reason: string; readonly error: Error }
  | { readonly state: 'closed' };

export interface PresenceOptions {
  readonly launcher: LauncherOptions;
  /** The name of the client, for the server's log: `vscode`, `cli dev`. */
  readonly client: string;
  /**
   * The name under which the client opens folders. The folders are released when the client has been
   * disconnected for a while.
   */
  readonly holder?: string | undefined;
  /** Whether this client exists to keep the server running. */
  readonly keeps?: boolean | undefined;
  /** Called with every new state. On `connected`, anything may have changed since the last connection. */
  onState?(state: PresenceState): void;
  onChanges?(changes: readonly Change[]): void;
}

/** The pause after the first failure; it doubles with each further one. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 15_000;
/** After more failures in a row than this, only `retry()` tries again. */
const MAX_FAILURES = 8;
/** After a connection of this duration, earlier failures no longer count. */
const STABLE_MS = 10_000;

/**
 * Keeps a server running: finds or starts it, stays connected, receives changes, and restarts it with
 * back-off when it dies.
 */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #ended = new AbortController();
  #state: PresenceState = { state: 'starting' };
  #loop: Promise<void> | undefined;
  #stream: EventStream | undefined;
  #server: RunningServer | undefined;
  #waiting: ((state: PresenceState) => boolean)[] = [];
  #onRetry: (() => void) | undefined;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  get state(): PresenceState {
    return this.#state;
  }

  /** The server that was last found or started, connected or not. */
  get server(): RunningServer | undefined {
    return this.#server;
  }

  /**
   * Starts; further calls wait for the same start.
   * @param signal stops waiting, and disconnects.
   * @returns the server, once connected.
   * @throws LaunchError when it could not be started; `retry()` tries again. Another error when the connection was
   * closed or the signal was aborted.
   */
  async start(signal?: AbortSignal): Promise<RunningServer> {
    const giveUp = () => void this.close();
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      signal?.throwIfAborted();
      return await this.#waitForConnection();
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  #waitForConnection(): Promise<RunningServer> {
    return new Promise((resolve, reject) => {
      const settle = (state: PresenceState): boolean => {
        if (state.state === 'connected') resolve(state.server);
        else if (state.state === 'failed') reject(state.error);
        else if (state.state === 'closed') reject(new Error('The connection to the server was closed.'));
        else return false;
        return true;
      };
      if (!settle(this.#state)) this.#waiting.push(settle);
      this.#loop ??= this.#run();
    });
  }

  /** Tries again after a failure; `start()` then waits for the new attempt. */
  retry(): void {
    if (this.#state.state !== 'failed') return;
    this.#enter({ state: 'starting' });
    this.#onRetry?.();
  }

  /** Disconnects. The server stops after its grace period if no other client needs it. */
  async close(): Promise<void> {
    this.#ended.abort();
    this.#onRetry?.();
    this.#stream?.close();
    await this.#loop;
    this.#enter({ state: 'closed' });
  }

  #enter(state: PresenceState): void {
    if (this.#state.state === 'closed') return;
    this.#state = state;
    this.#waiting = this.#waiting.filter((settle) => !settle(state));
    this.#options.onState?.(state);
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    let failures = 0;
    let wasConnected = false;
    let isSilent = false;
    this.#enter({ state: 'starting' });
    while (!signal.aborted) {
      let problem: Error;
      let connectedAt: number | undefined;
      try {
        const server = await ensureServer({ ...this.#options.launcher, signal });
        this.#server = server;
        const stream = await this.#connect(server);
        connectedAt = performance.now();
        this.#enter({ state: 'connected', server });
        await this.#listen(stream);
        problem = new Error('The server stopped.');
      } catch (error) {
        problem = error instanceof Error ? error : new Error(String(error));
      }
      if (signal.aborted) return;
      if (connectedAt !== undefined && performance.now() - connectedAt > STABLE_MS) failures = 0;
      failures += 1;
      if (connectedAt !== undefined) wasConnected = true;
      // On the first start, the caller is waiting, so a failure is reported immediately.
      const isReportedNow = problem instanceof LaunchError && (problem.isPermanent || !wasConnected);
      if (isReportedNow || failures > MAX_FAILURES) {
        await this.#fail(problem);
        failures = 0;
        continue;
      }
      isSilent = isSilence(problem) || (isSilent && connectedAt === undefined && this.#isServerAlive());
      this.#enter({ state: 'reconnecting', reason: problem.message, attempt: failures, isSilent });
      await pause(backOff(failures), { signal });
    }
  }

  /** Waits for `retry()` or `close()`. */
  async #fail(problem: Error): Promise<void> {
    const retried = new Promise<void>((resolve) => {
      this.#onRetry = resolve;
    });
    this.#enter({ state: 'failed', reason: problem.message, error: problem });
    await retried;
  }

  #isServerAlive(): boolean {
    return this.#server !== undefined && isAlive(this.#server.pid);
  }

  async #connect(server: RunningServer): Promise<EventStream> {
    const { client, holder, keeps, launcher } = this.#options;
    return harborOf(server, launcher.dispatcher).harbor.changes(
      { query: { client, holder, keeps } },
      { signal: this.#ended.signal, retries: 0, silenceMs: CHANGES_SILENCE_MS },
    );
  }

  async #listen(stream: EventStream): Promise<void> {
    this.#stream = stream;
    for await (const changes of readChanges(stream)) this.#options.onChanges?.(changes);
  }
}

function isSilence(problem: Error): boolean {
  return problem instanceof RequestError && (problem.code === SILENT || problem.problem === 'timeout');
}

function backOff(failures: number): number {
  return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)) * (0.75 + Math.random() / 2);
}
