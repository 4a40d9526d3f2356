import * as vscode from 'vscode';
import { Client } from '../../client/client.ts';
import { createDispatcher } from '../../client/dispatcher.ts';
import type { Deployment } from '../../contract/control-plane/deployments.ts';
import { createOrUpdate } from '../../deploy/create-or-update.ts';
import { readGitState } from '../../project/git-state.ts';
import { findSecrets } from '../../project/secrets.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import type { Connections } from '../connections/connections.ts';
import { readNetworkSettings } from '../connections/network-settings.ts';
import { type FolderConfigs, noConfigError } from '../deployments/configs.ts';
import { LogChannel } from '../deployments/log-channel.ts';
import type { ErrorReporter } from '../dialogs/errors.ts';
import { type DeployPlan, parseDeployPlan } from './deploy-plan.ts';
import { askForPlan } from './deploy-wizard.ts';
import { DEPLOYED_LAST_KEY } from './deployed-last.ts';
import type { DeployWizardOptions } from './questions/question.ts';
import { rollOut } from './roll-out.ts';

interface DeployingParts {
  readonly connections: Connections;
  readonly configs: FolderConfigs;
  /** Stores the last plan of each config, per open folder or workspace file. */
  readonly memento: vscode.Memento;
  readonly errors: Pick<ErrorReporter, 'watch'>;
  /** Called when something on a platform has changed. */
  readonly changed: () => void;
  /** Shows the row of a deployment. */
  readonly reveal: (connectionId: string, deploymentId: string) => Promise<void>;
  readonly showText: (title: string, text: string, line: number) => Promise<vscode.Uri>;
}

/** A revision to deploy again. */
interface RevisionToRedeploy {
  readonly connectionId: string;
  readonly deploymentId: string;
  readonly revisionId: string;
  readonly name: string;
}

type DeploymentToRecord = Omit<RevisionToRedeploy, 'revisionId'>;

/** Deploys the open folder, the last deployment again, and earlier revisions. Loaded on first use. */
export class Deploying implements vscode.Disposable {
  readonly #parts: DeployingParts;
  readonly #channels = new Map<string, LogChannel>();
  /** The build logs that failures have opened, which the next deployment closes. */
  readonly #failures = new Map<string, vscode.Uri>();
  /**
   * A dispatcher of its own, because a rollout takes minutes, and must outlive a connection that is lost and
   * restored.
   */
  readonly #dispatcher = createDispatcher(process.env, readNetworkSettings());

  constructor(parts: DeployingParts) {
    this.#parts = parts;
  }

  /**
   * Asks what to deploy and where, stores the answers, and deploys.
   * @param options with `records`, the deployment's runs are recorded; without it, that is left unchanged
   */
  async deploy(preset: DeployWizardOptions['preset'], { records = false } = {}): Promise<void> {
    const { connections, configs } = this.#parts;
    const all = await configs.list();
    if (all.length === 0) throw noConfigError();
    const plan = await askForPlan({
      configs: all,
      connections: [connections.local, ...connections.remotes].filter(
        ({ isAgentServerOnly }) => !isAgentServerOnly,
      ),
      preset,
      records,
      lastPlan: (configPath) => this.#readPlan(configPath),
      connect: (connection) => this.#connect(connection),
    });
    if (plan === undefined) return;
    await this.#parts.memento.update(planKey(plan.configPath), plan);
    await this.#parts.memento.update(DEPLOYED_LAST_KEY, plan.configPath);
    await vscode.commands.executeCommand('setContext', 'agentHarbor.hasDeployed', true);
    await this.#carryOut(plan, records ? true : undefined);
  }

  /**
   * Repeats the last deployment of a folder with the folder's current content and variables; if there was
   * none, asks.
   * @param configPath of the folder; by default the one that was deployed last
   */
  async deployAgain(configPath?: string): Promise<void> {
    const path = configPath ?? this.#parts.memento.get<string>(DEPLOYED_LAST_KEY);
    await this.#deployPath(path);
  }

  /** If a folder was last deployed to this deployment, repeats that; otherwise asks what to deploy to it. */
  async deployAgainTo(connectionId: string, name: string): Promise<void> {
    const configs = await this.#parts.configs.list();
    const paths = configs.map(({ uri }) => uri.fsPath);
    const path = paths.find((configPath) => {
      const plan = this.#readPlan(configPath);
      return plan?.connectionId === connectionId && plan.name === name;
    });
    if (path === undefined) await this.deploy({ connectionId, name });
    else await this.#deployPath(path);
  }

  async #deployPath(path: string | undefined): Promise<void> {
    const plan = path === undefined ? undefined : this.#readPlan(path);
    if (plan === undefined) await this.deploy(path === undefined ? {} : { configPath: path });
    else await this.#carryOut(plan, undefined);
  }

  /**
   * Deploys a revision again, or rolls back to it.
   * @param done the message once the revision is live; by default "Deployed …"
   */
  async redeploy(revision: RevisionToRedeploy, done?: string): Promise<void> {
    const connection = this.#parts.connections.require(revision.connectionId);
    const client = await this.#connect(connection);
    const { deploymentId: deployment_id, revisionId: revision_id, name } = revision;
    await this.#rollOut(client, connection, name, {
      begin: (signal) => client.revisions.redeploy({ params: { deployment_id, revision_id } }, { signal }),
      again: () => this.redeploy(revision, done),
      done,
    });
  }

  /** Begins or stops recording the runs of a deployment, in a new revision with the same build. */
  async setRecording(deployment: DeploymentToRecord, record: boolean): Promise<void> {
    const connection = this.#parts.connections.require(deployment.connectionId);
    const client = await this.#connect(connection);
    const params = { deployment_id: deployment.deploymentId };
    await this.#rollOut(client, connection, deployment.name, {
      begin: (signal) =>
        client.deployments.update({ params, body: { source_config: { record } } }, { signal }),
      again: () => this.setRecording(deployment, record),
    });
  }

  async dispose(): Promise<void> {
    for (const channel of this.#channels.values()) channel.dispose();
    await this.#dispatcher.destroy();
  }

  async #carryOut(plan: DeployPlan, record: true | undefined): Promise<void> {
    const connection = this.#parts.connections.require(plan.connectionId);
    const client = await this.#connect(connection);
    const again = () =>
      vscode.commands.executeCommand('agentHarbor.deployAgain', vscode.Uri.file(plan.configPath));
    await this.#rollOut(client, connection, plan.name, {
      begin: async (signal) =>
        (await this.#createOrUpdate(client, connection, plan, record, signal)).deployment,
      again,
    });
  }

  async #createOrUpdate(
    client: Client,
    { place }: PlatformConnection,
    plan: DeployPlan,
    record: true | undefined,
    signal: AbortSignal,
  ) {
    const { name, type } = plan;
    const source = await sourceOf(plan, place);
    const secrets = await readSecrets(plan);
    return createOrUpdate(
      client,
      this.#dispatcher,
      { name, source, type, buildOnPush: undefined, record, secrets },
      signal,
    );
  }

  async #rollOut(
    client: Client,
    connection: PlatformConnection,
    name: string,
    work: {
      readonly begin: (signal: AbortSignal) => Promise<Deployment>;
      readonly again: () => Thenable<unknown>;
      readonly done?: string | undefined;
    },
  ): Promise<void> {
    const { changed, errors, reveal, showText } = this.#parts;
    const key = `${connection.id}/${name}`;
    await closeTabs(this.#failures.get(key));
    this.#failures.delete(key);
    await rollOut({
      client,
      connection,
      name,
      channel: this.#clearChannel(key, connection.label, name),
      showFailure: async (title, text, line) => {
        this.#failures.set(key, await showText(title, text, line));
      },
      changed,
      errors,
      reveal: (deploymentId) => reveal(connection.id, deploymentId),
      ...work,
    });
  }

  /** Clears the output channel of a deployment, which is created on first use. */
  #clearChannel(key: string, label: string, name: string): LogChannel {
    const channel =
      this.#channels.get(key) ?? new LogChannel(vscode.l10n.t('Deploy {0} to {1}', name, label));
    this.#channels.set(key, channel);
    channel.clear();
    return channel;
  }

  async #connect(connection: PlatformConnection): Promise<Client> {
    const connected = await connection.connect();
    return new Client({ connection: connected.connection, dispatcher: this.#dispatcher });
  }

  #readPlan(configPath: string): DeployPlan | undefined {
    const plan = parseDeployPlan(this.#parts.memento.get(planKey(configPath)));
    // A plan is of no use once its connection has been removed.
    return plan && this.#parts.connections.get(plan.connectionId) && plan;
  }
}

/** The source of a plan, with the state of its folder. */
async function sourceOf({ source, configPath }: DeployPlan, place: PlatformConnection['place']) {
  if (source.kind === 'image') return source;
  const state = await readGitState(configPath);
  if (source.kind === 'repository') return { ...source, place: state };
  return { kind: 'folder' as const, place: state, isLocal: place === 'local' };
}

/** Reads the current values of a plan's variables. Those that the env file no longer has are left out. */
async function readSecrets({ configPath, variables }: DeployPlan) {
  if (variables === undefined) return undefined;
  const found = await findSecrets(configPath);
  return found?.secrets.filter(({ name }) => variables.includes(name));
}

function planKey(configPath: string): string {
  return `deploy:${configPath}`;
}

/** Closes the editors of a document. */
async function closeTabs(uri: vscode.Uri | undefined): Promise<void> {
  if (uri === undefined) return;
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const shown = tabs.filter(
    ({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString(),
  );
  await vscode.window.tabGroups.close(shown);
}
