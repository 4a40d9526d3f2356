import * as vscode from 'vscode';
import { SetupStepElement } from '../../views/setup-steps.ts';
import { rowCommand } from '../command.ts';

/** Opens the env file that a setup step is about, at the first empty value; a missing file is created. */
export const openEnvFile = rowCommand([SetupStepElement], async (_parts, { env }) => {
  if (env === undefined) return;
  const { createFile } = await import('../../projects/create-file.ts');
  const { readInitialEnv } = await import('../../projects/read-initial-env.ts');
  const { firstEmptyValue } = await import('../../../project/write-env-file.ts');
  const file = vscode.Uri.file(env.file);
  if (env.is_missing) await createFile(file, await readInitialEnv(env));
  const document = await vscode.workspace.openTextDocument(file);
  const { line, character } = firstEmptyValue(document.getText());
  const place = new vscode.Position(line, character);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(place, place) });
});
