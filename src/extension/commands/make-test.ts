import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { FolderConfigs } from '../configs.ts';
import { DATASETS_PATTERN, EXCLUDED_FOLDERS } from '../testing/dataset-pattern.ts';
import { SpanElement, TraceElement } from '../views/traces.ts';
import { rowCommand } from './command.ts';

/** Appends the selected traces to a dataset in the folder, with what they answered as the reference. */
export const makeTest = rowCommand([TraceElement, SpanElement], async ({ configs }, _, rows) => {
  const uri = await askForFile(configs);
  if (uri === undefined) return;
  const { readExampleLine } = await import('../testing/example-line.ts');
  const lines: string[] = [];
  for (const { client, runId } of rows) lines.push(await readExampleLine(client, runId));
  const before = await readFile(uri.fsPath, 'utf8').catch(() => '');
  const separator = before === '' || before.endsWith('\n') ? '' : '\n';
  await mkdir(path.dirname(uri.fsPath), { recursive: true });
  await writeFile(uri.fsPath, `${before}${separator}${lines.join('\n')}\n`);
  const editor = await vscode.window.showTextDocument(uri, { preview: true });
  const last = new vscode.Position(editor.document.lineCount - 2, 0);
  editor.selection = new vscode.Selection(last, last);
  editor.revealRange(editor.selection);
});

async function askForFile(configs: FolderConfigs): Promise<vscode.Uri | undefined> {
  const [config] = await configs.list();
  if (config === undefined) {
    throw new Error(vscode.l10n.t('Tests are files beside your graph. Open a folder with a langgraph.json.'));
  }
  const found = await vscode.workspace.findFiles(DATASETS_PATTERN, EXCLUDED_FOLDERS);
  const items = found
    .map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const fresh = {
    label: vscode.l10n.t('New Dataset…'),
    iconPath: new vscode.ThemeIcon('add'),
    uri: undefined,
  };
  const title = vscode.l10n.t('Select a dataset in this folder');
  const chosen = await vscode.window.showQuickPick([fresh, ...items], { title });
  if (chosen === undefined || chosen.uri !== undefined) return chosen?.uri;
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('New Dataset'),
    prompt: vscode.l10n.t('Dataset name'),
    validateInput: (value) =>
      /^[\w-][\w .-]*$/.test(value.trim())
        ? undefined
        : vscode.l10n.t('Enter a name of letters, digits, spaces, dots and dashes.'),
  });
  if (name === undefined) return undefined;
  return vscode.Uri.joinPath(config.uri, '..', 'evals', `${name.trim()}.dataset.jsonl`);
}
