import type { Dispatcher } from 'undici';
import { type EventEmitter, l10n } from 'vscode';
import type { Client } from '../../client/client.ts';
import type { NetworkSettings } from '../../client/dispatcher.ts';
import type { RequestError } from '../../client/request-error.ts';
import type { Change } from '../../contract/harbor.ts';
import { ActionableError, type ErrorAction, sentenceOf } from '../dialogs/errors.ts';
import type { ConnectionState, PlatformConnection } from './connection.ts';
import type { followChanges } from './follow-changes.ts';
import type { StoredConnection, StoredCredentials } from './stored-connection.ts';

const FIRST_RETRY_MS = 2_000;
const MAX_RETRY_MS = 60_000;

interface RemoteConnectionParts {
  readonly stored: StoredConnection;
  readonly credentials: () => Promise<StoredCredentials>;
  readonly network: () => NetworkSettings;
  /** Whether a view is visible. If none is, retries pause. */
  readonly isWatched: () => boolean;
  readonly log: (sentence: string) => void;
  readonly stateEmitter: EventEmitter<ConnectionState>;
  readonly changeEmitter: EventEmitter<readonly Change[]>;
}

/**
 * The connection to a remote platform. It checks that the platform responds and accepts the key, and checks
 * this again when calls fail.
 */
export class RemoteConnection implements PlatformConnection {
  readonly place = 'remote';
  readonly #parts: RemoteConnectionParts;
  #stored: StoredConnection;
  #state: ConnectionState = { status: 'stopped' };
  #hasKey = false;
  #connecting: Promise<void> | undefined;
  /** Counts the stops: a check that began before the last one is no longer valid. */
  #generation = 0;
  /** Closes the connection that is ready; undefined if none is. */
  #close: (() => Promise<void>) | undefined;
  #retryMs = FIRST_RETRY_MS;
  #retry: NodeJS.Timeout | undefined;

  constructor(parts: RemoteConnectionParts) {
    this.#parts = parts;
    this.#stored = parts.stored;
  }

  get id(): string {
    return this.#stored.id;
  }

  get label(): string {
    return this.#stored.label;
  }

  get stored(): StoredConnection {
    return this.#stored;
  }

  get isAgentServerOnly(): boolean {
    return this.#stored.kind === 'agent-server';
  }

  /** Whether it has a key to sign out of. */
  get hasKey(): boolean {
    return this.#hasKey;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get onDidChangeState() {
    return this.#parts.stateEmitter.event;
  }

  get onDidChange() {
    return this.#parts.changeEmitter.event;
  }

  async connect(): Promise<Client> {
    if (this.#state.status !== 'ready') await this.#connectOnce();
    const { state } = this;
    if (state.status === 'ready') return state.client;
    throw new ActionableError(this.#explainState(state), this.#actionsFor(state), {
      cause: 'error' in state ? state.error : undefined,
    });
  }

  /** Retries immediately, for example when a view becomes visible. */
  wake(): void {
    if (this.#state.status === 'stopped' || this.#state.status === 'offline') void this.#connectOnce();
  }

  /** Connects again, for example with other credentials or settings. */
  async reconnectAs(stored: StoredConnection): Promise<void> {
    this.#stored = stored;
    await this.stop();
    await this.#connectOnce();
  }

  /** Takes over another label, without connecting again. */
  rename(stored: StoredConnection): void {
    this.#stored = stored;
  }

  async stop(): Promise<void> {
    this.#generation++;
    this.#connecting = undefined;
    this.#disconnect();
    this.#enter({ status: 'stopped' });
  }

  dispose(): void {
    this.#generation++;
    this.#disconnect();
  }

  /** Closes the connection, and does not try again. */
  #disconnect(): void {
    clearTimeout(this.#retry);
    this.#retryMs = FIRST_RETRY_MS;
    this.#closeConnection();
  }

  #closeConnection(): void {
    void this.#close?.();
    this.#close = undefined;
  }

  /** Connects, unless that is already going on. The result is in `state`. */
  #connectOnce(): Promise<void> {
    clearTimeout(this.#retry);
    const generation = this.#generation;
    this.#connecting ??= this.#connect(generation)
      // The key cannot be read, or the settings of the proxy are wrong.
      .catch((error: Error) => {
        if (generation === this.#generation) this.#goOffline(error);
      })
      .finally(() => {
        this.#connecting = undefined;
      });
    return this.#connecting;
  }

  async #connect(generation: number): Promise<void> {
    const { credentials, network, log } = this.#parts;
    const { kind, label } = this.#stored;
    const known = await credentials();
    if (generation !== this.#generation) return;
    this.#hasKey = known.apiKey !== undefined;
    if (known.apiKey === undefined && kind !== 'agent-server') {
      this.#enter({ status: 'signed-out' });
      return;
    }
    // Retries in the background do not show progress.
    if (this.#state.status === 'stopped') this.#enter({ status: 'starting' });
    const { createDispatcher, followChanges, probe, remoteClient } = await import('./platform.ts');
    const dispatcher = createDispatcher(process.env, network());
    const onFailure = (error: RequestError) => this.#checkAfter(error);
    const client = remoteClient({ stored: this.#stored, credentials: known, dispatcher, onFailure });
    // Failures of the check itself must not start another check.
    const probing = remoteClient({ stored: this.#stored, credentials: known, dispatcher });
    const result = await probe(probing, kind).catch((error: Error) => ({
      found: 'unreachable' as const,
      error,
    }));
    // Calls may fail although the platform responds, so a connection that is ready then stays as it is.
    const isNews =
      generation === this.#generation && !(result.found === 'ready' && this.#state.status === 'ready');
    // The dispatcher is kept only for a new connection.
    if (!isNews || result.found !== 'ready') await dispatcher.destroy();
    if (!isNews || generation !== this.#generation) return;
    switch (result.found) {
      case 'ready':
        this.#becomeReady(client, dispatcher, followChanges);
        break;
      case 'refused':
        this.#disconnect();
        log(`${label}: ${result.error.message}`);
        this.#enter(
          known.apiKey === undefined ? { status: 'signed-out' } : { status: 'expired', error: result.error },
        );
        break;
      case 'unreachable':
        this.#goOffline(result.error);
    }
  }

  #goOffline(error: Error): void {
    this.#closeConnection();
    this.#parts.log(`${this.label}: ${error.message}`);
    this.#enter({ status: 'offline', error });
    this.#tryLater();
  }

  /** Uses a new connection, and follows the changes that the platform announces. */
  #becomeReady(client: Client, dispatcher: Dispatcher, follow: typeof followChanges): void {
    const following = new AbortController();
    this.#close = () => {
      following.abort();
      return dispatcher.close();
    };
    this.#retryMs = FIRST_RETRY_MS;
    this.#parts.log(`${this.label}: connected`);
    this.#enter({ status: 'ready', client });
    void follow(client, {
      signal: following.signal,
      onChanges: (changes) => this.#parts.changeEmitter.fire(changes),
      onLost: () => void this.#connectOnce(),
    });
  }

  /** Checks the connection if it may be the reason why a call has failed. */
  #checkAfter({ problem, status }: RequestError): void {
    if (this.#state.status !== 'ready') return;
    if (problem === 'unreachable' || problem === 'lost' || problem === 'timeout' || status === 401)
      void this.#connectOnce();
  }

  #tryLater(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      // Otherwise, `wake` retries when a view is shown again.
      if (this.#parts.isWatched()) void this.#connectOnce();
    }, this.#retryMs);
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2);
  }

  #explainState(state: ConnectionState): string {
    switch (state.status) {
      case 'signed-out':
        return l10n.t('You are signed out of {0}.', this.label);
      case 'expired':
        return l10n.t('{0} does not accept your key: {1}', this.label, sentenceOf(state.error));
      case 'offline':
        return sentenceOf(state.error);
      default:
        return l10n.t('{0} is not connected.', this.label);
    }
  }

  #actionsFor({ status }: ConnectionState): ErrorAction[] {
    const action = (title: string, command: string): ErrorAction => ({
      title,
      command,
      arguments: [this.id],
    });
    if (status === 'signed-out' || status === 'expired')
      return [action(l10n.t('Sign In'), 'agentHarbor.signIn')];
    return [action(l10n.t('Reconnect'), 'agentHarbor.reconnect')];
  }

  #enter(state: ConnectionState): void {
    this.#state = state;
    this.#parts.stateEmitter.fire(state);
  }
}
