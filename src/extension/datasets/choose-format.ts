import * as vscode from 'vscode';
import type { ExampleFormat } from '../../example-files/format.ts';

/** Asks for the format of a file of examples. @returns undefined when canceled */
export async function chooseFormat(title: string): Promise<ExampleFormat | undefined> {
  const formats: readonly (vscode.QuickPickItem & { readonly format: ExampleFormat })[] = [
    { label: 'JSON Lines', description: '.jsonl', format: 'jsonl' },
    { label: 'CSV', description: '.csv', format: 'csv' },
    { label: 'promptfoo', description: '.yaml', format: 'promptfoo' },
    { label: vscode.l10n.t('ADK Eval Set'), description: '.evalset.json', format: 'adk' },
    { label: vscode.l10n.t('Inspect Samples'), description: '.jsonl', format: 'inspect' },
  ];
  return (await vscode.window.showQuickPick(formats, { title }))?.format;
}
