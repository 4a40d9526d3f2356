import * as vscode from 'vscode';
import type { LackingEnv } from '../../../contract/harbor.ts';
import { SetupStepElement } from '../../views/setup-steps.ts';
import { rowCommand } from '../command.ts';

/** Opens the env file that a setup step is about, at the first empty value; a missing file is created. */
export const openEnvFile = rowCommand([SetupStepElement], async (_parts, { env }) => {
  if (env === undefined) return;
  const { firstEmptyValue } = await import('../../../project/env-file.ts');
  const file = vscode.Uri.file(env.file);
  if (env.is_missing) await createFile(file, await beginningOf(env));
  const document = await vscode.workspace.openTextDocument(file);
  const { line, character } = firstEmptyValue(document.getText());
  const place = new vscode.Position(line, character);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(place, place) });
});

async function beginningOf({ file, has_example, variables }: LackingEnv): Promise<Uint8Array> {
  if (has_example) return vscode.workspace.fs.readFile(vscode.Uri.file(`${file}.example`));
  return new TextEncoder().encode(variables.map((name) => `${name}=\n`).join(''));
}

/** A file that was made meanwhile is not changed. */
async function createFile(file: vscode.Uri, contents: Uint8Array): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(file, { contents, ignoreIfExists: true });
  if (!(await vscode.workspace.applyEdit(edit)))
    throw new Error(vscode.l10n.t('{0} could not be created.', file.fsPath));
}
