import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import type { FolderConfigs } from '../../deployments/configs.ts';
import { DatasetElement, ExampleElement } from '../../views/datasets.ts';
import type { Command } from '../command.ts';

/** The file with the examples of a dataset, and the inputs of the example to show. */
interface Wanted {
  readonly file: string;
  readonly inputs?: unknown;
}

/**
 * Opens the project's file with the examples of a dataset, at the example of the row or the lens that it was
 * called on. If the file does not have that example, opens it at the start.
 */
export const openDatasetFile: Command<{ readonly configs: FolderConfigs }> = async (
  { configs },
  argument,
) => {
  const wanted = wantedOf(argument);
  if (wanted === undefined) return;
  const uri = await findFile(configs, wanted.file);
  if (uri === undefined) {
    throw new Error(vscode.l10n.t('{0} is not in the open folder.', wanted.file));
  }
  const document = await vscode.workspace.openTextDocument(uri);
  const { parseDatasetFile } = await import('../../../evaluation/dataset-file.ts');
  const { examples } = parseDatasetFile(uri.fsPath, document.getText());
  const found = examples.find(({ inputs }) => isDeepStrictEqual(inputs, wanted.inputs));
  const place = new vscode.Position((found?.line ?? 1) - 1, 0);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(place, place) });
};

function wantedOf(argument: unknown): Wanted | undefined {
  if (argument instanceof DatasetElement) return withFile(argument.file, undefined);
  if (argument instanceof ExampleElement) return withFile(argument.parent.file, argument.inputs);
  if (typeof argument !== 'object' || argument === null || !('file' in argument)) return undefined;
  const { file } = argument;
  return typeof file === 'string'
    ? { file, inputs: 'inputs' in argument ? argument.inputs : undefined }
    : undefined;
}

function withFile(file: string | undefined, inputs: unknown): Wanted | undefined {
  return file === undefined ? undefined : { file, inputs };
}

/** Finds a file in the projects of the window; the first project that has it wins. */
async function findFile(configs: FolderConfigs, file: string): Promise<vscode.Uri | undefined> {
  for (const { uri } of await configs.list()) {
    const place = vscode.Uri.joinPath(uri, '..', file);
    const exists = await vscode.workspace.fs.stat(place).then(
      () => true,
      () => false,
    );
    if (exists) return place;
  }
  return undefined;
}
