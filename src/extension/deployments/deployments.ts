import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import type { Connections } from '../connections/connections.ts';
import { keyOnPlatform, placeOf } from './deployment-key.ts';
import type { FolderDeployment, FolderDeployments } from './folder-deployments.ts';
import { deploymentLabel, type OpenDeployment } from './open-deployment.ts';

/** The deployment that the Assistants and Threads views show, and that new runs use. */
export type CurrentDeployment =
  | { readonly in: 'folder'; readonly key: string; readonly deployment: FolderDeployment }
  | {
      readonly in: 'platform';
      readonly key: string;
      readonly name: string;
      readonly connection: PlatformConnection;
    };

/** A deployment on a platform, as the user selects it. */
export interface DeploymentOnPlatform {
  readonly connection: PlatformConnection;
  /** Undefined for an Agent Server connection. */
  readonly deploymentId: string | undefined;
  readonly name: string;
}

/** The place where a platform serves a deployment. */
interface FoundServer {
  readonly url: string;
  readonly name: string;
  readonly isProduction: boolean;
}

const CHOSEN_KEY = 'currentDeployment';

/** A selected deployment on a platform, as it is stored. */
interface Chosen {
  readonly key: string;
  readonly name: string;
}

/** All deployments that can be run from here, in open folders and on platforms, and the current one. */
export class Deployments implements vscode.Disposable {
  readonly folders: FolderDeployments;
  readonly #connections: Connections;
  readonly #memento: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();
  /** The servers of deployments by key, until the state of a connection changes. */
  readonly #found = new Map<string, FoundServer>();
  readonly #subscriptions: vscode.Disposable;

  constructor(folders: FolderDeployments, connections: Connections, memento: vscode.Memento) {
    this.folders = folders;
    this.#connections = connections;
    this.#memento = memento;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      folders.onDidChange(() => this.#changed.fire()),
      connections.onDidChange((connection) => this.#onConnectionChange(connection)),
    );
  }

  /** Fires when another deployment becomes current, or the current one changes. */
  get onDidChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  /** The connection to the platform of the current deployment, whose traces are shown. */
  get connection(): PlatformConnection {
    const chosen = this.#findOnPlatform();
    return chosen?.connection ?? this.#connections.local;
  }

  async current(): Promise<CurrentDeployment | undefined> {
    const chosen = this.#findOnPlatform();
    if (chosen !== undefined) return { in: 'platform', ...chosen };
    const deployment = await this.folders.findSelected();
    return deployment && { in: 'folder', key: deployment.config.uri.fsPath, deployment };
  }

  /** Makes a deployment on a platform the current one. */
  async selectOnPlatform({ connection, deploymentId, name }: DeploymentOnPlatform): Promise<void> {
    const chosen: Chosen = { key: keyOnPlatform(connection.id, deploymentId), name };
    await this.#memento.update(CHOSEN_KEY, chosen);
    this.#changed.fire();
  }

  /** Makes a deployment of an open folder the current one. If its langgraph.json is gone, nothing changes. */
  async selectInFolder(configPath: string): Promise<void> {
    const config = await this.folders.find(configPath);
    if (config === undefined) return;
    await this.#memento.update(CHOSEN_KEY, undefined);
    await this.folders.select(config);
  }

  /** Shows the deployment with this key in the views, if it is not the current one. */
  async makeCurrent(key: string): Promise<void> {
    if ((await this.current())?.key === key) return;
    const place = placeOf(key);
    if (place.in === 'folder') {
      await this.selectInFolder(place.configPath);
      return;
    }
    const { name, connection } = await this.open(key);
    await this.selectOnPlatform({ connection, deploymentId: place.deploymentId, name });
  }

  /** The name of the current deployment; undefined when there is none. */
  async currentName(): Promise<string | undefined> {
    const current = await this.current();
    return current?.in === 'platform' ? current.name : current?.deployment.config.name;
  }

  /** The label of the current deployment for the description of a view; undefined when there is none. */
  async currentText(): Promise<string | undefined> {
    const current = await this.current();
    return current?.in === 'platform' ? deploymentLabel(current) : current?.deployment.config.name;
  }

  /**
   * Prepares a deployment for runs: serves it, or finds its agent server.
   * @param key of the deployment; by default the current one
   * @throws ActionableError if it does not exist or cannot be reached
   */
  async open(key?: string): Promise<OpenDeployment> {
    const wanted = key ?? this.#findOnPlatform()?.key;
    if (wanted === undefined) return this.folders.open();
    const place = placeOf(wanted);
    if (place.in === 'folder') {
      const config = await this.folders.find(place.configPath);
      if (config === undefined)
        throw new Error(vscode.l10n.t('{0} is no longer in the open folder.', place.configPath));
      return this.folders.open(config);
    }
    const connection = this.#connections.require(place.connectionId);
    return this.#open(wanted, connection, await connection.connect());
  }

  /** The current deployment if it can be run already; nothing is started. */
  async findOpen(): Promise<OpenDeployment | undefined> {
    const chosen = this.#findOnPlatform();
    if (chosen === undefined) return this.folders.findOpen();
    const { state } = chosen.connection;
    if (state.status !== 'ready') return undefined;
    return this.#open(chosen.key, chosen.connection, state.client);
  }

  /**
   * The connection to the platform that a deployment is on.
   * @throws ActionableError when its connection has been removed.
   */
  connectionOf(key: string): PlatformConnection {
    const place = placeOf(key);
    return place.in === 'folder' ? this.#connections.local : this.#connections.require(place.connectionId);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #open(key: string, connection: PlatformConnection, client: Client): Promise<OpenDeployment> {
    const place = placeOf(key);
    const deploymentId = place.in === 'platform' ? place.deploymentId : undefined;
    // An Agent Server connection has one deployment, without an ID, and its client is for that.
    if (deploymentId === undefined) return { key, name: connection.label, connection, client };
    const found = this.#found.get(key) ?? (await findAgentServer(client, deploymentId));
    this.#found.set(key, found);
    const { name, isProduction, url: served } = found;
    return { key, name, isProduction, connection, client: client.withDeployment(served) };
  }

  /** The selected deployment, if it is on a platform that still has a connection. */
  #findOnPlatform(): (Chosen & { readonly connection: PlatformConnection }) | undefined {
    const chosen = this.#memento.get<Chosen>(CHOSEN_KEY);
    if (chosen === undefined) return undefined;
    const place = placeOf(chosen.key);
    if (place.in === 'folder') return undefined;
    const connection = this.#connections.get(place.connectionId);
    return connection && { ...chosen, connection };
  }

  #onConnectionChange(connection: PlatformConnection | undefined): void {
    // After a reconnect, addresses and permissions may differ.
    this.#found.clear();
    if (connection === undefined || connection === this.#findOnPlatform()?.connection) this.#changed.fire();
  }
}

async function findAgentServer(client: Client, deployment_id: string): Promise<FoundServer> {
  const { name, source_config } = await client.deployments.get({ params: { deployment_id } });
  const url = source_config.custom_url;
  if (!url) throw new Error(vscode.l10n.t('{0} is not being served: none of its revisions is live.', name));
  return { url, name, isProduction: source_config.deployment_type === 'prod' };
}
