import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { isHarbor } from '../../client/is-harbor.ts';
import type { Deployment } from '../../contract/control-plane/deployments.ts';
import type { Revision } from '../../contract/control-plane/revisions.ts';
import { dateOf } from '../../terms/times.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import { keyOnPlatform } from '../deployments/deployment-key.ts';
import type { DeploymentOnPlatform } from '../deployments/deployments.ts';
import { ago, joinParts } from '../wording/format.ts';
import { revisionLabel, sourceLabel, statusLabel } from '../wording/revision-labels.ts';
import type { ConnectionRow } from './connection-row.ts';
import { MoreElement } from './more.ts';
import type { TreeElement } from './tree.ts';

/** How many revisions a deployment shows at first; each Load More doubles them. */
const REVISIONS_PAGE = 20;

const color = (id: string) => new vscode.ThemeColor(id);
const liveIcon = new vscode.ThemeIcon('pass-filled', color('testing.iconPassed'));
const failedIcon = new vscode.ThemeIcon('error', color('problemsErrorIcon.foreground'));
const partlyIcon = new vscode.ThemeIcon('warning', color('problemsWarningIcon.foreground'));
const busyIcon = new vscode.ThemeIcon('loading~spin');
const drainingIcon = new vscode.ThemeIcon('watch');

/**
 * Reads the rows of a platform's deployments, newest first.
 * @param current the key of the current deployment
 */
export async function listPlatformDeployments(
  client: Client,
  parent: ConnectionRow,
  current: string | undefined,
): Promise<readonly TreeElement[]> {
  const found = await listShownDeployments(client, parent.connection);
  if (found.length === 0) return [new NoDeploymentsElement(parent)];
  // If the platform does not answer, the menu offers less.
  const isOnHarbor = await isHarbor(client).catch(() => false);
  return Promise.all(
    found.map(async (deployment) => {
      const isCurrent = current === keyOnPlatform(parent.connection.id, deployment.id);
      return new PlatformDeploymentElement(
        deployment,
        await readLatest(client, deployment),
        { isCurrent, isHarbor: isOnHarbor },
        client,
        parent,
      );
    }),
  );
}

/**
 * Lists the deployments of a platform. For the local server, only built ones, which have a revision: open
 * folders have rows of their own, in the windows that have these folders open.
 */
export async function listShownDeployments(
  client: Client,
  { place }: Pick<PlatformConnection, 'place'>,
): Promise<Deployment[]> {
  const { listDeployments } = await import('../../client/list-deployments.ts');
  const all = await listDeployments(client);
  return place === 'local' ? all.filter(({ latest_revision_id }) => latest_revision_id !== null) : all;
}

/** The newest revision, if it is not the live one. */
async function readLatest(client: Client, deployment: Deployment): Promise<Revision | undefined> {
  const { id, latest_revision_id, active_revision_id } = deployment;
  if (latest_revision_id === null || latest_revision_id === active_revision_id) return undefined;
  const params = { deployment_id: id, revision_id: latest_revision_id };
  // If the revision cannot be read, the row shows less.
  return client.revisions.get({ params }).catch(() => undefined);
}

/** A deployment of a platform, which expands into its revisions. */
export class PlatformDeploymentElement implements TreeElement, DeploymentOnPlatform {
  readonly id: string;
  readonly parent: ConnectionRow;
  readonly deployment: Deployment;
  readonly client: Client;
  readonly #latest: Revision | undefined;
  readonly #isCurrent: boolean;
  readonly #isHarbor: boolean;

  /**
   * @param latest the newest revision, if it is not the live one
   * @param isCurrent whether it is the current deployment
   * @param isHarbor whether its platform is an Agent Harbor server
   */
  constructor(
    deployment: Deployment,
    latest: Revision | undefined,
    { isCurrent, isHarbor }: { readonly isCurrent: boolean; readonly isHarbor: boolean },
    client: Client,
    parent: ConnectionRow,
  ) {
    this.deployment = deployment;
    this.client = client;
    this.parent = parent;
    this.#latest = latest;
    this.#isCurrent = isCurrent;
    this.#isHarbor = isHarbor;
    this.id = `${parent.id}/deployment:${deployment.id}`;
  }

  get connection() {
    return this.parent.connection;
  }

  get deploymentId(): string {
    return this.deployment.id;
  }

  get name(): string {
    return this.deployment.name;
  }

  get key(): string {
    return keyOnPlatform(this.connection.id, this.deployment.id);
  }

  getTreeItem(): vscode.TreeItem {
    const { name, status, source_config, updated_at, latest_revision_id, paused_at } = this.deployment;
    const { None, Collapsed } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(name, latest_revision_id === null ? None : Collapsed);
    const latest = this.#latest && statusLabel(this.#latest.status);
    const state = latest ?? (this.#isLive ? vscode.l10n.t('live') : statusLabel(status));
    item.description = joinParts(
      this.#isCurrent ? vscode.l10n.t('current') : undefined,
      paused_at ? vscode.l10n.t('paused') : state,
      source_config.record === true ? vscode.l10n.t('records runs') : undefined,
      // On this machine all types are the same.
      this.connection.place === 'local' ? undefined : (source_config.deployment_type ?? undefined),
    );
    item.iconPath = this.#icon();
    item.contextValue = [
      'platformDeployment',
      this.#isLive ? 'live' : 'idle',
      ...(latest_revision_id === null ? [] : ['built']),
      ...(latest_revision_id === null || (this.#latest && isUnbuilt(this.#latest)) ? [] : ['again']),
      ...(this.#isCurrent ? ['current'] : []),
      ...this.#recording(),
      ...(this.configPath === undefined ? [] : ['config']),
      ...(this.#isLive && this.hasFiles && this.folder !== undefined ? ['folder'] : []),
    ].join('.');
    item.tooltip = this.#tooltip(updated_at);
    item.accessibilityInformation = { label: `${name}, ${item.description}` };
    return item;
  }

  /**
   * The folder from which it was deployed; undefined for other sources, and if the folder is on another
   * machine.
   */
  get folder(): string | undefined {
    if (this.connection.place !== 'local') return undefined;
    const { source, source_config } = this.deployment;
    const { workspace_dir } = source_config;
    return source === 'workspace' && typeof workspace_dir === 'string' ? workspace_dir : undefined;
  }

  /** The langgraph.json of that folder. */
  get configPath(): string | undefined {
    const { folder } = this;
    const path = this.deployment.source_revision_config.platform_config_path;
    if (folder === undefined || typeof path !== 'string') return undefined;
    return vscode.Uri.joinPath(vscode.Uri.file(folder), path).fsPath;
  }

  /** Whether its platform has the files of its revisions. An image has none. */
  get hasFiles(): boolean {
    return this.#isHarbor && this.deployment.source !== 'external_docker';
  }

  async getChildren(): Promise<readonly TreeElement[]> {
    const { shown } = this.parent.revisions;
    const limit = shown.get(this.id) ?? REVISIONS_PAGE;
    const { readUpTo } = await import('../../client/read-up-to.ts');
    const { found, isMore } = await readUpTo(limit, async (query) => {
      const { resources } = await this.client.revisions.list({
        params: { deployment_id: this.deploymentId },
        query,
      });
      return resources;
    });
    const numbers = await this.parent.revisions.numbers.of(this.client, this.deploymentId, found);
    const rows = found.map((revision, index) => new RevisionElement(revision, numbers[index] ?? 0, this));
    if (!isMore) return rows;
    return [...rows, new MoreElement(this, undefined, () => shown.set(this.id, limit * 2))];
  }

  /** Reads one of its revisions, which may be older than the rows below it. @throws RequestError */
  async readRevision(revision_id: string): Promise<RevisionElement> {
    const { client, deploymentId } = this;
    const revision = await client.revisions.get({ params: { deployment_id: deploymentId, revision_id } });
    const number = await this.parent.revisions.numbers.numberOf(client, deploymentId, revision_id);
    return new RevisionElement(revision, number, this);
  }

  /** Whether it is running: only then it has a URL. */
  get #isLive(): boolean {
    return Boolean(this.deployment.source_config.custom_url);
  }

  /** The parts of the context value for recording. An image has its own server, which decides run by run. */
  #recording(): string[] {
    const { source, source_config, latest_revision_id } = this.deployment;
    if (!this.#isHarbor || source === 'external_docker' || latest_revision_id === null) return [];
    return [source_config.record === true ? 'records' : 'recordable'];
  }

  #icon(): vscode.ThemeIcon {
    const latest = this.#latest?.status;
    if (this.deployment.status === 'AWAITING_DELETE') return new vscode.ThemeIcon('trash');
    if (latest !== undefined && isUnderWay(latest)) return busyIcon;
    if (latest?.includes('FAILED')) return this.#isLive ? partlyIcon : failedIcon;
    return this.#isLive ? liveIcon : new vscode.ThemeIcon('circle-outline');
  }

  #tooltip(updatedAt: string): vscode.MarkdownString {
    const { name, id, source, source_config, source_revision_config } = this.deployment;
    const text = new vscode.MarkdownString();
    const from = source_config.repo_url ?? source_config.workspace_dir ?? source_revision_config.image_uri;
    const lines = [
      name,
      this.#latest?.status_message,
      source_config.custom_url,
      typeof from === 'string' ? `${source}: ${from}` : source,
      vscode.l10n.t('Changed {0}', ago(updatedAt)),
      id,
    ];
    for (const line of lines) if (line) text.appendText(line).appendMarkdown('\n\n');
    return text;
  }
}

/** A revision of a deployment. */
export class RevisionElement implements TreeElement {
  readonly id: string;
  readonly parent: PlatformDeploymentElement;
  readonly revision: Revision;
  /** Number of the revision, starting at 1 for the deployment's first. */
  readonly number: number;

  constructor(revision: Revision, number: number, parent: PlatformDeploymentElement) {
    this.revision = revision;
    this.number = number;
    this.parent = parent;
    this.id = `${parent.id}/revision:${revision.id}`;
  }

  get isLive(): boolean {
    return this.revision.id === this.parent.deployment.active_revision_id;
  }

  getTreeItem(): vscode.TreeItem {
    const { id, status, status_message, created_at, draining } = this.revision;
    const label = vscode.l10n.t('Revision {0}', this.number);
    const item = new vscode.TreeItem(label);
    const state = this.isLive ? vscode.l10n.t('live') : revisionLabel(this.revision);
    item.description = joinParts(
      state,
      sourceLabel(this.revision),
      ago(created_at),
      status.includes('FAILED') ? status_message?.split('\n')[0] : undefined,
    );
    item.iconPath = this.#icon();
    item.contextValue = [
      'revision',
      this.#kind(),
      ...(draining ? ['draining'] : []),
      ...this.#comparable(),
    ].join('.');
    const time = dateOf(created_at)?.toLocaleString();
    const until = draining && dateOf(draining.until)?.toLocaleString();
    const limit = until && vscode.l10n.t('Its runs can finish on it until {0}', until);
    item.tooltip = joinParts(label, state, limit, status_message ?? undefined, time, id);
    item.accessibilityInformation = { label: `${label}, ${item.description}` };
    item.command = {
      command: 'agentHarbor.showBuildLog',
      title: vscode.l10n.t('Show Build Log'),
      arguments: [this],
    };
    return item;
  }

  /** The parts of the context value that say what the revision can be compared with. */
  #comparable(): string[] {
    const { hasFiles, folder, deployment } = this.parent;
    if (!hasFiles || isUnderWay(this.revision.status)) return [];
    return [
      ...(deployment.active_revision_id && !this.isLive ? ['comparable'] : []),
      ...(folder === undefined ? [] : ['folder']),
    ];
  }

  #kind(): string {
    const { status } = this.revision;
    if (this.isLive) return 'live';
    if (isUnderWay(status)) return 'underWay';
    if (isUnbuilt(this.revision)) return 'unbuilt';
    return status === 'DEPLOYED' ? 'earlier' : 'ended';
  }

  #icon(): vscode.ThemeIcon {
    const { status, draining } = this.revision;
    if (this.isLive) return liveIcon;
    // The icon shows draining too, because a narrow side bar cuts the description.
    if (draining !== undefined) return drainingIcon;
    if (isUnderWay(status)) return busyIcon;
    if (status.includes('FAILED')) return failedIcon;
    return new vscode.ThemeIcon(status === 'DEPLOYED' ? 'history' : 'circle-slash');
  }
}

/** The row of a platform without deployments. */
export class NoDeploymentsElement implements TreeElement {
  readonly id: string;
  readonly parent: ConnectionRow;

  constructor(parent: ConnectionRow) {
    this.parent = parent;
    this.id = `${parent.id}/none`;
  }

  getTreeItem(): vscode.TreeItem {
    const item = new vscode.TreeItem(vscode.l10n.t('No deployments yet'));
    item.contextValue = 'noDeployments';
    return item;
  }
}

const ACTIVE_STATUSES: ReadonlySet<string> = new Set([
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
]);

function isUnderWay(status: string): boolean {
  return ACTIVE_STATUSES.has(status);
}

/** Whether a revision is known to have ended before it had a build, so that it cannot be deployed again. */
function isUnbuilt({ status, status_history }: Revision): boolean {
  if (isUnderWay(status) || status === 'DEPLOYED' || status_history === undefined) return false;
  return !status_history.some((one) => one.status === 'AWAITING_DEPLOY');
}
