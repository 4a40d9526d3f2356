import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { Change, LiveDeployment, SourceLocation } from '../../contract/harbor.ts';
import { samePath } from '../../project/paths.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import { WINDOW_HOLDER } from '../connections/window-holder.ts';
import { ActionableError, type ErrorReporter, sentenceOf } from '../dialogs/errors.ts';
import { type Config, type FolderConfigs, noConfigError } from './configs.ts';
import type { OpenDeployment } from './open-deployment.ts';
import type { PythonInterpreters } from './python-interpreter.ts';
import { windowEnvironment } from './traced-programs.ts';

/** The state of a folder's deployment, as far as this window knows. */
export type DeploymentState =
  | { readonly status: 'closed' }
  | { readonly status: 'opening' }
  | { readonly status: 'open'; readonly live: LiveDeployment }
  | { readonly status: 'refused'; readonly message: string; readonly location?: SourceLocation | undefined };

export interface FolderDeployment {
  readonly config: Config;
  readonly state: DeploymentState;
  /** The deployment as it was when its graphs were last loaded. It is shown while they load again. */
  readonly before?: LiveDeployment | undefined;
}

/** A deployment of a folder that is being served, with a client for its agent server. */
export interface OpenFolderDeployment extends OpenDeployment {
  readonly config: Config;
  readonly live: LiveDeployment;
}

export interface FolderDeploymentsParts {
  readonly configs: FolderConfigs;
  readonly interpreters: PythonInterpreters;
  readonly connection: PlatformConnection;
  readonly memento: vscode.Memento;
  readonly errors: ErrorReporter;
}

const SELECTED_KEY = 'selectedConfig';

/**
 * The live deployments of the open folders, one per `langgraph.json`. The selected one is served as soon as
 * the server is up; the others on request. Serving runs the folder's code, so nothing is served before the
 * folder is trusted.
 */
export class FolderDeployments implements vscode.Disposable {
  readonly #parts: FolderDeploymentsParts;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #states = new Map<string, DeploymentState>();
  /** Deployments as they were when their graphs were last loaded, by the paths of their configs. */
  readonly #before = new Map<string, LiveDeployment>();
  readonly #opening = new Map<string, Promise<LiveDeployment>>();
  readonly #subscriptions: vscode.Disposable;

  constructor(parts: FolderDeploymentsParts) {
    this.#parts = parts;
    const { configs, connection, interpreters } = parts;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      configs.onDidChange(() => this.#changed.fire()),
      interpreters.onDidChange(() => this.#inBackground(this.#updateInterpreters(), 'choose the Python')),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('agentHarbor.requireKey')) {
          const purpose = 'require a key';
          const request = async () => ({ require_key: requiresKey() });
          this.#inBackground(this.#updateServed(purpose, request), purpose);
        }
      }),
      connection.onDidChangeState(({ status }) => this.#onConnectionChange(status)),
      connection.onDidChange((changes) => this.#inBackground(this.#follow(changes), 'read deployments')),
    );
  }

  /** Fires when a deployment was added, removed or changed, or another was selected. */
  get onDidChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  async list(): Promise<readonly FolderDeployment[]> {
    const configs = await this.#parts.configs.list();
    return configs.map((config) => ({
      config,
      state: this.stateOf(config),
      before: this.#before.get(config.uri.fsPath),
    }));
  }

  stateOf(config: Config): DeploymentState {
    return this.#states.get(config.uri.fsPath) ?? { status: 'closed' };
  }

  /** The server's latest description of a deployment, if it is served. */
  liveOf(configPath: string): LiveDeployment | undefined {
    const state = this.#states.get(configPath);
    return state?.status === 'open' ? state.live : undefined;
  }

  /** The deployment that the user selected, or else the first one. */
  async findSelected(): Promise<FolderDeployment | undefined> {
    const all = await this.list();
    const chosen = this.#parts.memento.get<string>(SELECTED_KEY);
    return all.find(({ config }) => config.uri.fsPath === chosen) ?? all[0];
  }

  async select(config: Config): Promise<void> {
    await this.#parts.memento.update(SELECTED_KEY, config.uri.fsPath);
    this.#changed.fire();
  }

  /** The config with this path, if an open folder has it. */
  async find(configPath: string): Promise<Config | undefined> {
    return (await this.#parts.configs.list()).find(({ uri }) => samePath(uri.fsPath, configPath));
  }

  /** Whether there is a deployment, and the folder is trusted to run it. */
  async canServe(): Promise<boolean> {
    return vscode.workspace.isTrusted && (await this.#parts.configs.list()).length > 0;
  }

  /**
   * Serves a deployment, starting the server if necessary.
   * @param config of the deployment; by default the selected one
   * @throws ActionableError if there is none or the folder is not trusted; RequestError if the server refuses
   */
  async open(config?: Config): Promise<OpenFolderDeployment> {
    if (!vscode.workspace.isTrusted) throw untrustedError();
    const wanted = config ?? (await this.findSelected())?.config;
    if (wanted === undefined) throw noConfigError();
    const client = await this.#parts.connection.connect();
    const state = this.stateOf(wanted);
    const live = state.status === 'open' ? state.live : await this.#openOnce(wanted, client);
    return this.#toOpen(wanted, live, client);
  }

  /** Like {@link open}, but also waits until the graphs have loaded or have failed to load. */
  async openLoaded(config?: Config): Promise<OpenFolderDeployment> {
    const opened = await this.open(config);
    const isLoading = () => {
      const state = this.stateOf(opened.config);
      return (
        state.status === 'opening' || (state.status === 'open' && state.live.runtime.state === 'starting')
      );
    };
    await new Promise<void>((resolve) => {
      if (!isLoading()) {
        resolve();
        return;
      }
      const subscription = this.onDidChange(() => {
        if (isLoading()) return;
        subscription.dispose();
        resolve();
      });
    });
    return this.open(opened.config);
  }

  /** The selected deployment if it is being served; nothing is started. */
  async findOpen(): Promise<OpenFolderDeployment | undefined> {
    const { state: connection } = this.#parts.connection;
    const selected = await this.findSelected();
    if (connection.status !== 'ready' || selected?.state.status !== 'open') return undefined;
    return this.#toOpen(selected.config, selected.state.live, connection.client);
  }

  /**
   * Sends stand-ins for missing variables of a deployment; its graphs are loaded again if they lacked any.
   */
  async standIn(config: Config, variables: Readonly<Record<string, string>>): Promise<void> {
    if (Object.keys(variables).length === 0) return;
    const client = await this.#parts.connection.connect();
    const body = { config_path: config.uri.fsPath, holder: WINDOW_HOLDER, stand_ins: variables };
    this.#enter(config, { status: 'open', live: await client.harbor.openFolder({ body }) });
  }

  /** Loads the graphs of a deployment again, in a fresh runtime. */
  async reload(config: Config): Promise<void> {
    const client = await this.#parts.connection.connect();
    const state = this.stateOf(config);
    if (state.status !== 'open') {
      await this.#openOnce(config, client);
      return;
    }
    const params = { deployment_id: state.live.deployment_id };
    this.#enter(config, { status: 'open', live: await client.harbor.restartFolder({ params }) });
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #toOpen(config: Config, live: LiveDeployment, client: Client): OpenFolderDeployment {
    return {
      key: config.uri.fsPath,
      name: live.name,
      connection: this.#parts.connection,
      client: client.withDeployment(live.deployment_url),
      config,
      live,
    };
  }

  #openOnce(config: Config, client: Client): Promise<LiveDeployment> {
    const key = config.uri.fsPath;
    const opening =
      this.#opening.get(key) ?? this.#open(config, client).finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return opening;
  }

  async #open(config: Config, client: Client): Promise<LiveDeployment> {
    this.#enter(config, { status: 'opening' });
    try {
      const python = await this.#parts.interpreters.findChosen(config.uri);
      const body = {
        config_path: config.uri.fsPath,
        holder: WINDOW_HOLDER,
        env: inheritedEnvironment(),
        // Sending false would override what a terminal has set, so false is sent only when the user turns
        // the setting off.
        ...(requiresKey() ? { require_key: true } : {}),
        ...(python === undefined ? {} : { python }),
      };
      const live = await client.harbor.openFolder({ body });
      this.#enter(config, { status: 'open', live });
      return live;
    } catch (error) {
      this.#enter(config, { status: 'refused', message: sentenceOf(error) });
      throw error;
    }
  }

  /** Sends the Python that is now chosen. If the server used another one, it loads the graphs again. */
  #updateInterpreters(): Promise<void> {
    return this.#updateServed('choose the Python', async ({ uri }) => ({
      python: (await this.#parts.interpreters.findChosen(uri)) ?? '',
    }));
  }

  /**
   * Sends changed options of the deployments that are being served.
   * @param purpose for the log
   */
  async #updateServed(
    purpose: string,
    request: (config: Config) => Promise<{ python?: string; require_key?: boolean }>,
  ): Promise<void> {
    const { connection, errors } = this.#parts;
    if (connection.state.status !== 'ready') return;
    const { client } = connection.state;
    for (const { config, state } of await this.list()) {
      if (state.status !== 'open') continue;
      try {
        const body = { config_path: config.uri.fsPath, holder: WINDOW_HOLDER, ...(await request(config)) };
        this.#enter(config, { status: 'open', live: await client.harbor.openFolder({ body }) });
      } catch (error) {
        errors.log(error, `${purpose} of ${config.name}`);
      }
    }
  }

  #onConnectionChange(status: string): void {
    if (status === 'ready') this.#inBackground(this.#openSelected(), 'open deployments');
    else if (status !== 'starting' && status !== 'silent') this.#states.clear();
    this.#changed.fire();
  }

  /**
   * Opens the selected deployment, and those that were open before. This is needed after every connection,
   * because a new server does not know them.
   */
  async #openSelected(): Promise<void> {
    if (!(await this.canServe())) return;
    const selected = (await this.findSelected())?.config;
    const again = (await this.#parts.configs.list()).filter((config) => this.#states.has(config.uri.fsPath));
    this.#states.clear();
    for (const config of new Set(selected === undefined ? again : [selected, ...again])) {
      // The tree shows the outcome.
      this.open(config).catch((error) => this.#parts.errors.log(error, `open ${config.uri.fsPath}`));
    }
  }

  async #follow(changes: readonly Change[]): Promise<void> {
    const { state: connection } = this.#parts.connection;
    if (connection.status !== 'ready') return;
    const changed = new Set(changes.filter(({ resource }) => resource === 'deployment').map(({ id }) => id));
    for (const { config, state } of await this.list()) {
      if (state.status !== 'open' || !changed.has(state.live.deployment_id)) continue;
      const params = { deployment_id: state.live.deployment_id };
      try {
        this.#enter(config, {
          status: 'open',
          live: await connection.client.harbor.getFolder({ params }),
        });
      } catch (error) {
        this.#parts.errors.log(error, `read deployment ${config.name}`);
      }
    }
  }

  /** Logs the error of work that nobody waits for. */
  #inBackground(work: Promise<void>, purpose: string): void {
    work.catch((error: unknown) => this.#parts.errors.log(error, purpose));
  }

  #enter(config: Config, state: DeploymentState): void {
    const key = config.uri.fsPath;
    this.#states.set(key, state);
    // While the graphs load again, the deployment as it was is kept.
    if (state.status === 'open' && state.live.runtime.state === 'ready') this.#before.set(key, state.live);
    else if (state.status !== 'open' || state.live.runtime.state !== 'starting') this.#before.delete(key);
    this.#changed.fire();
  }
}

function requiresKey(): boolean {
  return vscode.workspace.getConfiguration('agentHarbor').get('requireKey', false);
}

/** The environment of this window, like that of its terminals, without VS Code's own variables. */
function inheritedEnvironment(): Record<string, string> {
  const own = /^(VSCODE_|ELECTRON_)/;
  return Object.fromEntries(
    Object.entries(windowEnvironment()).flatMap(([name, value]) =>
      value === undefined || own.test(name) ? [] : [[name, value]],
    ),
  );
}

function untrustedError(): ActionableError {
  return new ActionableError(
    vscode.l10n.t('The open folder is in Restricted Mode. Trust it to run its agents.'),
    [{ title: vscode.l10n.t('Manage Workspace Trust'), command: 'workbench.trust.manage' }],
  );
}
