import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Change } from '../../contract/harbor.ts';
import { ActionableError } from '../dialogs/errors.ts';
import type { PlatformConnection } from './connection.ts';
import type { LocalConnection } from './local.ts';
import { onNetworkSettingsChanged, readNetworkSettings } from './network-settings.ts';
import { RemoteConnection } from './remote.ts';
import {
  parseConnections,
  parseCredentials,
  type StoredConnection,
  type StoredCredentials,
  type StoredWorkspace,
} from './stored-connection.ts';

const LIST_KEY = 'connections';
const SECRET_PREFIX = 'agentHarbor.connection.';

interface ConnectionsParts {
  readonly local: LocalConnection;
  /** VS Code's storage for the user, because every window and folder has the same connections. */
  readonly memento: vscode.Memento;
  readonly secrets: vscode.SecretStorage;
  readonly log: vscode.LogOutputChannel;
  /** Whether a view is visible. */
  readonly isWatched: () => boolean;
}

/** Changes on a platform. */
interface AnnouncedChanges {
  readonly connection: PlatformConnection;
  readonly changes: readonly Change[];
}

/** All platforms that this user works with: the local server, and the remote ones that were added. */
export class Connections implements vscode.Disposable {
  readonly local: LocalConnection;
  readonly #parts: ConnectionsParts;
  readonly #remotes = new Map<string, RemoteConnection>();
  readonly #changed = new vscode.EventEmitter<PlatformConnection | undefined>();
  readonly #announced = new vscode.EventEmitter<AnnouncedChanges>();
  readonly #subscriptions: vscode.Disposable;

  constructor(parts: ConnectionsParts) {
    this.#parts = parts;
    this.local = parts.local;
    this.#matchStored();
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      this.#announced,
      parts.local.onDidChange((changes) => this.#announced.fire({ connection: parts.local, changes })),
      parts.local.onDidChangeState(() => this.#changed.fire(parts.local)),
      parts.secrets.onDidChange(({ key }) => this.#onSecretChange(key)),
      onNetworkSettingsChanged(() => {
        for (const remote of this.#remotes.values()) {
          if (remote.state.status !== 'stopped') void remote.reconnectAs(remote.stored);
        }
      }),
    );
  }

  /**
   * Fires with a connection whose state has changed, and with nothing when one was added, renamed or
   * removed.
   */
  get onDidChange(): vscode.Event<PlatformConnection | undefined> {
    return this.#changed.event;
  }

  /** Fires with the changes that a platform announces. */
  get onDidAnnounce(): vscode.Event<AnnouncedChanges> {
    return this.#announced.event;
  }

  get remotes(): readonly RemoteConnection[] {
    return [...this.#remotes.values()];
  }

  /** The connection with this ID; undefined if it was removed. */
  get(id: string): PlatformConnection | undefined {
    return id === this.local.id ? this.local : this.#remotes.get(id);
  }

  /** @throws ActionableError when the connection has been removed. */
  require(id: string): PlatformConnection {
    const found = this.get(id);
    if (found !== undefined) return found;
    throw new ActionableError(vscode.l10n.t('This connection has been removed.'), [
      { title: vscode.l10n.t('Add Connection'), command: 'agentHarbor.addConnection' },
    ]);
  }

  /** The remote connection with this ID; undefined if it is local or was removed. */
  remote(id: string): RemoteConnection | undefined {
    return this.#remotes.get(id);
  }

  /** Connects stopped and offline connections again, because a view has become visible. */
  wake(): void {
    for (const remote of this.#remotes.values()) remote.wake();
  }

  async add(
    stored: Omit<StoredConnection, 'id'>,
    credentials: StoredCredentials = {},
  ): Promise<RemoteConnection> {
    const id = randomUUID();
    await this.#keepCredentials(id, credentials);
    await this.#keep([...this.#readStored(), { ...stored, id }]);
    const added = this.#remotes.get(id);
    if (added === undefined) throw new Error(vscode.l10n.t('The connection was not saved.'));
    added.wake();
    return added;
  }

  /** The key and headers of a connection. */
  async readCredentials(id: string): Promise<StoredCredentials> {
    return parseCredentials(await this.#parts.secrets.get(SECRET_PREFIX + id));
  }

  /**
   * Stores a key with the workspace that was chosen for it, and connects with them unless the connection was
   * removed.
   */
  async signIn(id: string, credentials: StoredCredentials, workspace?: StoredWorkspace): Promise<void> {
    const stored = this.#readStored().map(
      (one): StoredConnection => (one.id === id ? { ...one, workspace } : one),
    );
    await this.#parts.memento.update(LIST_KEY, stored);
    await this.#keepCredentials(id, credentials);
    const renewed = stored.find((one) => one.id === id);
    if (renewed !== undefined) await this.#remotes.get(id)?.reconnectAs(renewed);
  }

  /** Gives a connection another name. */
  async rename(id: string, label: string): Promise<void> {
    const stored = this.#readStored().map(
      (one): StoredConnection => (one.id === id ? { ...one, label } : one),
    );
    const renamed = stored.find((one) => one.id === id);
    if (renamed === undefined) return;
    this.#remotes.get(id)?.rename(renamed);
    await this.#keep(stored);
  }

  /** Forgets the key, but not the headers, which signing in does not ask for. */
  async signOut(id: string): Promise<void> {
    const { headers } = await this.readCredentials(id);
    await this.#keepCredentials(id, { headers });
    const remote = this.#remotes.get(id);
    await remote?.reconnectAs(remote.stored);
  }

  /** Forgets a connection with its key. Nothing on the platform changes. */
  async remove(id: string): Promise<void> {
    await this.#parts.secrets.delete(SECRET_PREFIX + id);
    await this.#keep(this.#readStored().filter((stored) => stored.id !== id));
  }

  dispose(): void {
    this.#subscriptions.dispose();
    for (const remote of this.#remotes.values()) remote.dispose();
  }

  #readStored(): StoredConnection[] {
    return parseConnections(this.#parts.memento.get(LIST_KEY));
  }

  /** Stores the list of connections, and creates and disposes connections accordingly. */
  async #keep(stored: readonly StoredConnection[]): Promise<void> {
    await this.#parts.memento.update(LIST_KEY, stored);
    this.#matchStored();
    this.#changed.fire(undefined);
  }

  /** Stores credentials in place of earlier ones. */
  async #keepCredentials(id: string, credentials: StoredCredentials): Promise<void> {
    const key = SECRET_PREFIX + id;
    if (credentials.apiKey === undefined && credentials.headers === undefined)
      await this.#parts.secrets.delete(key);
    else await this.#parts.secrets.store(key, JSON.stringify(credentials));
  }

  /** Creates and disposes connections until they match the stored list. */
  #matchStored(): void {
    const stored = this.#readStored();
    for (const [id, remote] of this.#remotes) {
      if (stored.some((one) => one.id === id)) continue;
      this.#remotes.delete(id);
      remote.dispose();
    }
    for (const one of stored) if (!this.#remotes.has(one.id)) this.#remotes.set(one.id, this.#make(one));
  }

  #make(stored: StoredConnection): RemoteConnection {
    const stateEmitter = new vscode.EventEmitter<RemoteConnection['state']>();
    const changeEmitter = new vscode.EventEmitter<readonly Change[]>();
    const remote: RemoteConnection = new RemoteConnection({
      stored,
      credentials: () => this.readCredentials(stored.id),
      network: readNetworkSettings,
      isWatched: this.#parts.isWatched,
      log: (sentence) => this.#parts.log.info(sentence),
      stateEmitter,
      changeEmitter,
    });
    stateEmitter.event(() => this.#changed.fire(remote));
    changeEmitter.event((changes) => this.#announced.fire({ connection: remote, changes }));
    return remote;
  }

  /** Connects when another window has signed in. */
  #onSecretChange(key: string): void {
    const remote = this.#remotes.get(key.slice(SECRET_PREFIX.length));
    if (!key.startsWith(SECRET_PREFIX) || remote === undefined) return;
    const { status } = remote.state;
    if (status === 'signed-out' || status === 'expired') void remote.reconnectAs(this.#storedOf(remote));
  }

  #storedOf(remote: RemoteConnection): StoredConnection {
    return this.#readStored().find(({ id }) => id === remote.id) ?? remote.stored;
  }
}
