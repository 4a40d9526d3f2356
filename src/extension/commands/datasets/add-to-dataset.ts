import * as vscode from 'vscode';
import { exampleUri } from '../../datasets/example-address.ts';
import { SpanElement, TraceElement } from '../../views/traces.ts';
import type { Tree } from '../../views/tree.ts';
import { rowCommand } from '../command.ts';

/** Adds the selected traces or spans to a dataset as examples, with their inputs and outputs. */
export const addToDataset = rowCommand(
  [TraceElement, SpanElement],
  async ({ trees }: { readonly trees: { readonly traces: Pick<Tree, 'refresh'> } }, first, rows) => {
    const { client } = first;
    const { chooseDataset } = await import('../../datasets/choose-dataset.ts');
    const dataset = await chooseDataset(client);
    if (dataset === undefined) return;
    const { makeExampleOfRun } = await import('../../../client/example-of-run.ts');
    const { changeOneByOne } = await import('../../dialogs/change-one-by-one.ts');
    let lastExampleId = '';
    let lastName = '';
    const add = async ({ runId, traceName }: TraceElement | SpanElement) => {
      const { body } = await makeExampleOfRun(client, runId);
      ({ id: lastExampleId } = await client.examples.create({ body: { ...body, dataset_id: dataset.id } }));
      lastName = traceName;
    };
    try {
      await changeOneByOne(rows, add, (done, { label }, reason) =>
        vscode.l10n.t(
          'Added {0} of {1} examples to {2}. Could not add {3}: {4}',
          ...[done, rows.length, dataset.name, label, reason],
        ),
      );
    } finally {
      trees.traces.refresh();
    }
    // Not awaited: the command is done, even if the message is answered much later.
    void offerToOpen(
      rows.length === 1
        ? vscode.l10n.t('Added to {0}.', dataset.name)
        : vscode.l10n.t('Added {0} examples to {1}.', rows.length, dataset.name),
      exampleUri({ connection: first.connection, exampleId: lastExampleId }, dataset.name, lastName),
    );
  },
);

/** Reports the result, and offers to open the last added example. */
async function offerToOpen(message: string, example: vscode.Uri): Promise<void> {
  const open = vscode.l10n.t('Open');
  const chosen = await vscode.window.showInformationMessage(message, open);
  if (chosen === open) await vscode.commands.executeCommand('vscode.open', example, { preview: true });
}
