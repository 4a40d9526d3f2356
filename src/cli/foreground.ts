import type { Change } from '../contract/harbor.ts';
import type { HeadStart } from '../launcher/head-start.ts';
import { Presence, type PresenceState } from '../launcher/presence.ts';
import type { RunningServer } from '../launcher/running-server.ts';
import { type Context, launcherOptions } from './context.ts';
import { leave } from './leave.ts';
import { HOLDER } from './workspace.ts';

export interface ForegroundOptions {
  /** Who is present, for the server's log. */
  readonly client: string;
  readonly dataDir?: string | undefined;
  /** The platform's port. */
  readonly port?: number | undefined;
  readonly headStart?: HeadStart | undefined;
  /** Called with each server that took the place of one that died. */
  onSuccessor?(server: RunningServer): void;
  onChanges?(changes: readonly Change[]): void;
}

/** A server held by a command in the foreground, which tells when it goes and comes back. */
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
   * Resolves when the command is asked to end.
   * @throws LaunchError when the server died and cannot be had again.
   */
  untilInterrupted(): Promise<void> {
    const { interrupted } = this.#context;
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      if (interrupted.aborted) resolve();
      else interrupted.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Leaves nothing behind that nobody else uses. */
  async leave(closeWorkspace?: string): Promise<void> {
    const { dispatcher, terminal } = this.#context;
    const stays = await leave({ presence: this.presence, dispatcher, closeWorkspace });
    if (stays) terminal.note('The server stays, since another client is using it.');
  }

  #follow(state: PresenceState): void {
    if (!this.#started) return;
    switch (state.state) {
      case 'reconnecting':
        if (state.attempt === 1) this.#context.terminal.note(`${state.reason} Bringing the server back …`);
        break;
      case 'connected':
        this.#options.onSuccessor?.(state.server);
        break;
      case 'failed':
        this.#giveUp(state.error);
        break;
    }
  }
}
