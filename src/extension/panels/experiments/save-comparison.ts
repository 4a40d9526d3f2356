import { Readable } from 'node:stream';
import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import { comparisonCsv } from '../../../experiments/comparison-csv.ts';
import { readLowerIsBetter } from '../../../experiments/lower-is-better.ts';
import { readExperiments } from '../../../experiments/read-experiments.ts';
import { readResults } from '../../../experiments/read-results.ts';
import { segment } from '../../documents/address-segments.ts';
import { saveText } from '../../documents/save-text.ts';
import type { Compared } from './messages.ts';

/**
 * Streams a comparison, with whole outputs, as CSV to a file that the user chooses.
 * @throws Error when an experiment no longer exists, or of the platform or the disk
 */
export async function saveComparison(
  client: Client,
  dataset: { readonly id: string; readonly name: string },
  { baseline_id, experiment_id }: Compared,
): Promise<void> {
  const ids = [...(baseline_id === undefined ? [] : [baseline_id]), experiment_id];
  const all = await readExperiments(client, dataset.id);
  const experiments = ids.map((id) => {
    const found = all.find((experiment) => experiment.id === id);
    if (found !== undefined) return found;
    throw new Error(
      id === baseline_id
        ? vscode.l10n.t('The baseline was not found. It may have been deleted. Select another baseline.')
        : vscode.l10n.t('The experiment was not found. It may have been deleted. Select another experiment.'),
    );
  });
  const lowerIsBetter = await readLowerIsBetter(client);
  const keys = [...new Set(experiments.flatMap(({ scores }) => Object.keys(scores)))];
  await saveText({
    title: vscode.l10n.t('Export Comparison'),
    fileName: `${segment(dataset.name)}.csv`,
    read: (signal) => {
      const pages = readResults(client, dataset.id, ids, { isWhole: true, signal });
      return Readable.from(comparisonCsv(pages, { experiments, keys, lowerIsBetter }));
    },
  });
}
