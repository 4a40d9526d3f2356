import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { PurgeJob } from '../../contract/purging.ts';
import { dateOf, millisecondsOf } from '../../terms/times.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import type { QueuedDeletion } from '../purging/queued-deletion.ts';
import type { QueuedDeletions } from '../purging/queued-deletions.ts';
import { ago, joinParts } from '../wording/format.ts';
import { formatPairs } from '../wording/metadata-pairs.ts';
import type { TreeElement } from './tree.ts';

/** The maximum number of unfinished purges that are shown. */
const MAX_JOBS = 100;

/** Reads the unfinished purges of a platform, which are shown in a row above the projects. */
export class Purges {
  readonly #queued: QueuedDeletions;

  constructor(queued: QueuedDeletions) {
    this.#queued = queued;
  }

  /**
   * The row with the purges of a platform; undefined if there are none. Queued deletions that are due are
   * checked in the background.
   */
  async readRow(client: Client, platform: PlatformConnection): Promise<TreeElement | undefined> {
    const own = this.#queued.of(platform.id);
    void this.#queued.checkDue(platform.id, client);
    const jobs = (await hasJobs(client, platform))
      ? await client.purging.listJobs({ query: { active: true, limit: MAX_JOBS } })
      : [];
    return jobs.length + own.length === 0 ? undefined : new PurgesElement(jobs, own, client);
  }
}

/** Whether a platform has jobs: only Agent Harbor servers do. */
async function hasJobs(client: Client, { place }: PlatformConnection): Promise<boolean> {
  if (place === 'local') return true;
  // The module is loaded already, because it made the client.
  const { isHarbor } = await import('../connections/platform.ts');
  return isHarbor(client);
}

/** The row of all unfinished purges. */
class PurgesElement implements TreeElement {
  readonly id = 'purges';
  readonly #jobs: readonly PurgeJob[];
  readonly #queued: readonly QueuedDeletion[];
  readonly #client: Client;

  constructor(jobs: readonly PurgeJob[], queued: readonly QueuedDeletion[], client: Client) {
    this.#jobs = jobs;
    this.#queued = queued;
    this.#client = client;
  }

  getTreeItem(): vscode.TreeItem {
    const item = new vscode.TreeItem(vscode.l10n.t('Purges'), vscode.TreeItemCollapsibleState.Expanded);
    item.description = String(this.#jobs.length + this.#queued.length);
    item.iconPath = new vscode.ThemeIcon('trash');
    return item;
  }

  async getChildren(): Promise<readonly TreeElement[]> {
    return [
      ...this.#jobs.map((job) => new PurgeJobElement(job, this)),
      ...this.#queued.map((queued) => new QueuedDeletionElement(queued, this.#client, this)),
    ];
  }
}

/** A purge that an Agent Harbor server carries out. */
class PurgeJobElement implements TreeElement {
  readonly id: string;
  readonly parent: TreeElement;
  readonly #job: PurgeJob;

  constructor(job: PurgeJob, parent: TreeElement) {
    this.id = `purge:${job.id}`;
    this.parent = parent;
    this.#job = job;
  }

  getTreeItem(): vscode.TreeItem {
    const { status, matched, deleted, not_before, created_at } = this.#job;
    const waits = status === 'pending' && (millisecondsOf(not_before) ?? 0) > Date.now();
    const item = new vscode.TreeItem(
      waits
        ? vscode.l10n.t('starts {0}', dateOf(not_before)?.toLocaleString() ?? not_before)
        : vscode.l10n.t('{0} of {1} deleted', deleted, matched),
    );
    item.description = joinParts(status, ago(created_at));
    item.iconPath = new vscode.ThemeIcon(waits ? 'clock' : 'loading~spin');
    item.contextValue = 'purgeJob';
    return item;
  }
}

/** A deletion that a remote platform has queued. */
export class QueuedDeletionElement implements TreeElement {
  readonly id: string;
  readonly parent: TreeElement;
  readonly queued: QueuedDeletion;
  readonly client: Client;

  constructor(queued: QueuedDeletion, client: Client, parent: TreeElement) {
    this.id = `queued:${queued.id}`;
    this.queued = queued;
    this.client = client;
    this.parent = parent;
  }

  getTreeItem(): vscode.TreeItem {
    const { scope, traces, remaining, checkedAt, requestedAt } = this.queued;
    const what = scope.kind === 'metadata' ? formatPairs(scope.metadata) : scope.project.name;
    const item = new vscode.TreeItem(what);
    item.description = joinParts(
      remaining === 0
        ? vscode.l10n.t('none found')
        : remaining === undefined
          ? vscode.l10n.t('{0} queued', traces)
          : vscode.l10n.t('{0} remaining', remaining),
      checkedAt === undefined
        ? vscode.l10n.t('requested {0}', ago(requestedAt))
        : vscode.l10n.t('checked {0}', ago(checkedAt)),
    );
    item.iconPath = new vscode.ThemeIcon(remaining === 0 ? 'pass' : 'clock');
    item.contextValue = 'queuedDeletion';
    item.tooltip = vscode.l10n.t('The platform queued this deletion and does not report when it runs.');
    return item;
  }
}
