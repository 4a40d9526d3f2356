import { type EventEmitter, type ExtensionContext, type LogOutputChannel, l10n } from 'vscode';
import type { Client } from '../../client/client.ts';
import type { Change } from '../../contract/harbor.ts';
import type { Presence, PresenceState } from '../../launcher/presence.ts';
import type { RunningServer } from '../../launcher/running-server.ts';
import { ActionableError, sentenceOf } from '../dialogs/errors.ts';
import type { ConnectionState, PlatformConnection } from './connection.ts';
import { WINDOW_HOLDER } from './window-holder.ts';

interface LocalConnectionOptions {
  /** This extension's version. */
  readonly version: string;
  /** Absolute path of `dist/server.js`. */
  readonly serverPath: string;
  /** The folder chosen in the settings; empty means the default one. */
  readonly dataDirectory: () => string;
  readonly log: LogOutputChannel;
  readonly stateEmitter: EventEmitter<ConnectionState>;
  readonly changeEmitter: EventEmitter<readonly Change[]>;
}

/** Functions of modules that are loaded with the first connection. */
interface Launcher {
  clientOf(server: RunningServer): Client;
  /** Stops a server, by force when it does not answer. */
  end(server: RunningServer): Promise<boolean>;
  kill(): Promise<boolean>;
}

/** The connection to the user's local server, which is found or started when it is first needed. */
export class LocalConnection implements PlatformConnection {
  readonly id = 'local';
  readonly label = l10n.t('Local');
  readonly place = 'local';
  readonly isAgentServerOnly = false;
  readonly hasKey = false;
  readonly #options: LocalConnectionOptions;
  #state: ConnectionState = { status: 'stopped' };
  #presence: Promise<Presence> | undefined;
  #client: { readonly server: RunningServer; readonly client: Client } | undefined;
  #launcher: Launcher | undefined;

  constructor(options: LocalConnectionOptions) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get onDidChangeState() {
    return this.#options.stateEmitter.event;
  }

  get onDidChange() {
    return this.#options.changeEmitter.event;
  }

  async connect(): Promise<Client> {
    if (this.#state.status === 'ready') return this.#state.client;
    this.#presence ??= this.#createPresence();
    const presence = await this.#presence;
    // Callers do not wait until the server responds again.
    if (this.#state.status === 'silent') throw notRespondingError();
    if (presence.state.state === 'failed') presence.retry();
    try {
      return this.#clientOf(await presence.start());
    } catch (error) {
      const tryAgain = { title: l10n.t('Try Again'), command: 'agentHarbor.startServer' };
      throw new ActionableError(sentenceOf(error), [tryAgain], { cause: error });
    }
  }

  async stop(): Promise<void> {
    const { status } = this.#state;
    const server = status === 'ready' ? this.#client?.server : undefined;
    await this.#disconnect();
    if (server !== undefined) await this.#launcher?.end(server);
    else if (status === 'silent') await this.#launcher?.kill();
  }

  async dispose(): Promise<void> {
    await this.#disconnect();
  }

  /** Ends the presence of this window; the server may continue for other clients. */
  async #disconnect(): Promise<void> {
    // If the presence could not be created, there is nothing to close.
    const presence = await this.#presence?.catch(() => undefined);
    this.#presence = undefined;
    await presence?.close();
    this.#enter({ status: 'stopped' });
  }

  async #createPresence(): Promise<Presence> {
    const { version, serverPath, dataDirectory, log } = this.#options;
    this.#enter({ status: 'starting' });
    const { clientOf, createDispatcher, defaultDataDir, endServer, killServer, Presence } = await import(
      './platform.ts'
    );
    const dispatcher = createDispatcher();
    const dataDir = dataDirectory() || defaultDataDir();
    log.info(`Local server: data folder ${dataDir}`);
    this.#launcher = {
      clientOf: (server) => clientOf(server, dispatcher),
      end: (server) =>
        endServer(server, 'now', { dispatcher }).catch((error) => {
          if (!isTimeout(error)) throw error;
          return killServer(dataDir);
        }),
      kill: () => killServer(dataDir),
    };
    const presence: Presence = new Presence({
      client: 'vscode',
      holder: WINDOW_HOLDER,
      launcher: { version, serverPath, dataDir, dispatcher },
      onState: (state) => {
        if (state.state !== 'closed') this.#follow(state);
      },
      onChanges: (changes) => this.#options.changeEmitter.fire(changes),
    });
    return presence;
  }

  #follow(state: Exclude<PresenceState, { state: 'closed' }>): void {
    const { log } = this.#options;
    switch (state.state) {
      case 'starting':
        this.#enter({ status: 'starting' });
        break;
      case 'connected':
        log.info(`Local server: connected, process ${state.server.pid}, ${state.server.baseUrl}`);
        this.#enter({ status: 'ready', client: this.#clientOf(state.server) });
        break;
      case 'reconnecting':
        log.warn(`Local server: ${state.reason} Trying again (${state.attempt}).`);
        if (state.isSilent) this.#enter({ status: 'silent', error: notRespondingError() });
        else this.#enter({ status: 'starting', reason: state.reason });
        break;
      case 'failed':
        log.error(`Local server: ${state.reason}`);
        // A server to which no client has connected yet may hold the data folder and not answer.
        if (isTimeout(state.error)) this.#enter({ status: 'silent', error: state.error });
        else this.#enter({ status: 'failed', error: state.error });
    }
  }

  #clientOf(server: RunningServer): Client {
    if (this.#client?.server !== server) {
      if (this.#launcher === undefined) throw new Error(l10n.t('The local server has not been started yet.'));
      this.#client = { server, client: this.#launcher.clientOf(server) };
    }
    return this.#client.client;
  }

  #enter(state: ConnectionState): void {
    this.#state = state;
    this.#options.stateEmitter.fire(state);
  }
}

function notRespondingError(): ActionableError {
  const restart = { title: l10n.t('Restart Server'), command: 'agentHarbor.restartServer' };
  return new ActionableError(l10n.t('The local server is not responding.'), [restart]);
}

/** Whether an error says that the server did not answer in time. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'problem' in error && error.problem === 'timeout';
}

/** The part of an extension's context that the local connection needs. */
export function localServerOf(
  context: ExtensionContext,
): Pick<LocalConnectionOptions, 'version' | 'serverPath'> {
  const { version } = context.extension.packageJSON;
  return { version: String(version), serverPath: context.asAbsolutePath('dist/server.js') };
}
