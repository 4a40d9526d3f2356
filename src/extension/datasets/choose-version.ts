import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { dateOf } from '../../terms/times.ts';
import type { DatasetRef } from './dataset-items.ts';

/** A version of a dataset. */
export interface VersionRef {
  /** The time when it was made; undefined for the current one, whichever that is. */
  readonly asOf: string | undefined;
}

const MAX_VERSIONS = 100;

/**
 * Asks for a version of a dataset, newest first.
 * @returns undefined when canceled
 * @throws RequestError
 */
export async function chooseVersion(
  client: Client,
  dataset: DatasetRef,
  title: string,
): Promise<VersionRef | undefined> {
  const params = { dataset_id: dataset.id };
  const versions = await client.datasets.versions({ params, query: { limit: MAX_VERSIONS } });
  if (versions.length === 0) throw new Error(vscode.l10n.t('{0} has no versions yet.', dataset.name));
  const items = versions.map(({ as_of, tags }, index) => ({
    label: dateOf(as_of)?.toLocaleString() ?? as_of,
    description: [...(index === 0 ? [vscode.l10n.t('current')] : []), ...(tags ?? [])].join(', '),
    iconPath: new vscode.ThemeIcon((tags ?? []).length > 0 ? 'tag' : 'history'),
    asOf: index === 0 ? undefined : as_of,
  }));
  return vscode.window.showQuickPick(items, { title, matchOnDescription: true });
}
