import type { Change } from '../../contract/harbor.ts';
import type { HeadStart } from '../../launcher/head-start.ts';
import { Presence, type PresenceState } from '../../launcher/presence.ts';
import type { RunningServer } from '../../launcher/running-server.ts';
import { type Context, launcherOptions } from '../terminal/context.ts';
import { disconnect } from './disconnect.ts';
import { HOLDER } from './open-folder.ts';

interface ForegroundOptions {
  /** Name of this client, for the server's log. */
  readonly client: string;
  /** Whether the server runs as long as this client is connected, even if it serves nothing. */
  readonly keeps?: boolean;
  readonly dataDir?: string | undefined;
  /** The platform's port. */
  readonly port?: number | undefined;
  readonly headStart?: HeadStart | undefined;
  /** Called with each server that replaces one that died. By default, its address is printed. */
  onSuccessor?(server: RunningServer): void;
  onChanges?(changes: readonly Change[]): void;
}

/** Keeps a server running for a command in the foreground, and reports when it is lost and restarted. */
export class Foreground {
  readonly presence: Presence;
  readonly #context: Context;
  readonly #options: ForegroundOptions;
  #started = false;
  #giveUp: (error: Error) => void = () => {};

  constructor(context: Context, options: ForegroundOptions) {
    this.#context = context;
    this.#options = options;
    this.presence = new Presence({
      client: options.client,
      holder: HOLDER,
      keeps: options.keeps,
      launcher: launcherOptions(context, options),
      onState: (state) => this.#follow(state),
      onChanges: (changes) => options.onChanges?.(changes),
    });
  }

  /** @throws LaunchError */
  async start(): Promise<RunningServer> {
    const server = await this.presence.start(this.#context.interrupted);
    this.#started = true;
    return server;
  }

  /**
   * Resolves when the command is asked to stop.
   * @throws LaunchError when the server died and cannot be restarted; the error that was passed to `fail`
   */
  untilInterrupted(): Promise<void> {
    const { interrupted } = this.#context;
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      if (interrupted.aborted) resolve();
      else interrupted.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Ends `untilInterrupted` with an error. */
  fail(error: Error): void {
    this.#giveUp(error);
  }

  /** Disconnects, and stops the server if no other client uses it. */
  async disconnect(openedFolderId?: string): Promise<void> {
    const { dispatcher, terminal } = this.#context;
    const stays = await disconnect({ presence: this.presence, dispatcher, openedFolderId });
    if (stays) terminal.note('The server keeps running because another client is using it.');
  }

  #follow(state: PresenceState): void {
    if (!this.#started) return;
    switch (state.state) {
      case 'reconnecting':
        if (state.attempt === 1) this.#context.terminal.note(`${state.reason} Restarting the server…`);
        break;
      case 'connected':
        if (this.#options.onSuccessor) this.#options.onSuccessor(state.server);
        else this.#context.terminal.note(`The server is running again at ${state.server.baseUrl}.`);
        break;
      case 'failed':
        this.#giveUp(state.error);
        break;
    }
  }
}
