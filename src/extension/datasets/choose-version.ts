import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { dateOf } from '../../terms/times.ts';
import { joinParts } from '../wording/format.ts';
import type { DatasetRef } from './dataset-items.ts';

/** A version of a dataset. */
export interface VersionRef {
  /** The time of the version. Undefined means the version that is current when the reference is used. */
  readonly asOf: string | undefined;
}

/** The maximum number of versions to choose from. */
const MAX_VERSIONS = 100;
/** Only this many versions are compared with the one before, because each comparison needs a request. */
const MAX_COMPARED = 20;

interface VersionItem extends vscode.QuickPickItem, VersionRef {
  /** Identifies the version, so that it stays selected when its description arrives. */
  readonly id: string;
}

/**
 * Asks for one of the newest `MAX_VERSIONS` versions of a dataset. The differences between versions are added
 * while the list is shown.
 * @returns undefined when canceled
 * @throws Error if there are none, RequestError
 */
export async function chooseVersion(
  client: Pick<Client, 'datasets'>,
  dataset: DatasetRef,
  title: string,
): Promise<VersionRef | undefined> {
  const params = { dataset_id: dataset.id };
  const versions = await client.datasets.versions({ params, query: { limit: MAX_VERSIONS } });
  if (versions.length === 0) throw new Error(vscode.l10n.t('{0} has no versions yet.', dataset.name));
  const changes: (string | undefined)[] = [];
  const pick = vscode.window.createQuickPick<VersionItem>();
  const closed = new AbortController();
  const show = () => {
    const [active] = pick.activeItems;
    pick.keepScrollPosition = true;
    pick.items = itemsOf(versions, changes);
    const same = pick.items.find(({ id }) => id === active?.id);
    if (same !== undefined) pick.activeItems = [same];
  };
  pick.title = title;
  pick.matchOnDescription = true;
  show();
  const chosen = new Promise<VersionRef | undefined>((resolve) => {
    pick.onDidAccept(() => resolve(pick.selectedItems[0]));
    pick.onDidHide(() => resolve(undefined));
  });
  pick.show();
  void addChanges();
  return chosen.finally(() => {
    closed.abort();
    pick.dispose();
  });

  /** Adds the differences to the list with one request after the other, from the newest version. */
  async function addChanges(): Promise<void> {
    pick.busy = true;
    for (const [index, { as_of }] of versions.slice(0, MAX_COMPARED).entries()) {
      const before = versions[index + 1];
      if (before === undefined) break;
      changes[index] = await readChanges(client, dataset, [before.as_of, as_of], closed.signal);
      if (closed.signal.aborted) return;
      if (changes[index] !== undefined) show();
    }
    pick.busy = false;
  }
}

/**
 * The items of versions.
 * @param versions newest first
 * @param changes the differences between each version and the one before, as far as they are known
 */
function itemsOf(
  versions: readonly { readonly as_of: string; readonly tags?: readonly string[] | null | undefined }[],
  changes: readonly (string | undefined)[],
): VersionItem[] {
  const labels = labelsOf(versions.map(({ as_of }) => as_of));
  return versions.map(({ as_of, tags }, index) => ({
    label: labels[index] ?? as_of,
    description: joinParts(
      [...(index === 0 ? [vscode.l10n.t('current')] : []), ...(tags ?? [])].join(', '),
      changes[index],
    ),
    iconPath: new vscode.ThemeIcon((tags ?? []).length > 0 ? 'tag' : 'history'),
    asOf: index === 0 ? undefined : as_of,
    id: as_of,
  }));
}

/** The times of versions; with milliseconds if several were made within one second. */
function labelsOf(times: readonly string[]): string[] {
  const labels = times.map((time) => dateOf(time)?.toLocaleString() ?? time);
  return labels.map((label, index) => {
    if (labels.indexOf(label) === labels.lastIndexOf(label)) return label;
    const milliseconds = dateOf(times[index])?.getMilliseconds();
    return milliseconds === undefined ? label : `${label} +${milliseconds} ms`;
  });
}

/** The difference between two versions in words, such as "2 added · 1 removed". */
async function readChanges(
  client: Pick<Client, 'datasets'>,
  dataset: DatasetRef,
  [from_version, to_version]: readonly [string, string],
  signal: AbortSignal,
): Promise<string | undefined> {
  const params = { dataset_id: dataset.id };
  try {
    const diff = await client.datasets.diff({ params, query: { from_version, to_version } }, { signal });
    const [added, changed, removed] = [diff.examples_added, diff.examples_modified, diff.examples_removed];
    return joinParts(
      added.length === 0 ? undefined : vscode.l10n.t('{0} added', added.length.toLocaleString()),
      changed.length === 0 ? undefined : vscode.l10n.t('{0} changed', changed.length.toLocaleString()),
      removed.length === 0 ? undefined : vscode.l10n.t('{0} removed', removed.length.toLocaleString()),
    );
  } catch {
    // A version can also be chosen without its differences, which not every platform reports.
    return undefined;
  }
}
