import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { exampleTitle } from '../wording/titles.ts';
import type { DatasetRef } from './dataset-items.ts';

/** The maximum number of examples to choose from. */
const MAX_EXAMPLES = 100;
/** Inputs are cut to this many characters. */
const MAX_INPUTS_LENGTH = 120;

/**
 * Asks for examples of a dataset to delete.
 * @returns their IDs; undefined when canceled
 * @throws Error if the dataset has none, RequestError
 */
export async function chooseExamplesToDelete(
  client: Client,
  dataset: DatasetRef,
): Promise<string[] | undefined> {
  const found = await client.examples.list({ query: { dataset: dataset.id, limit: MAX_EXAMPLES } });
  const items = found.flatMap(({ id, name, inputs, metadata }) =>
    // Always there: only a request that selects other fields gets examples without it.
    id === undefined
      ? []
      : [
          {
            label: exampleTitle({ name, inputs, metadata }) ?? id,
            description: JSON.stringify(inputs ?? {}).slice(0, MAX_INPUTS_LENGTH),
            id,
          },
        ],
  );
  if (items.length === 0) throw new Error(vscode.l10n.t('{0} has no examples.', dataset.name));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Select the examples of {0} to delete', dataset.name),
    canPickMany: true,
    matchOnDescription: true,
    ...(found.length === MAX_EXAMPLES && {
      placeHolder: vscode.l10n.t(
        'Only {0} examples are listed. Select others in the Traces view.',
        MAX_EXAMPLES,
      ),
    }),
  });
  return chosen?.map(({ id }) => id);
}
