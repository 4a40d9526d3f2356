import * as vscode from 'vscode';
import { ASSISTANT_SCHEME } from './assistant-address.ts';
import type { AssistantFiles } from './assistant-files.ts';

/**
 * Shows a code lens above an assistant's document that has changed or is new. It says what saving does,
 * because a draft looks like a saved document.
 */
export function offerToSave(files: () => Promise<AssistantFiles>): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const isAssistant = ({ uri }: vscode.TextDocument) => uri.scheme === ASSISTANT_SCHEME;
  return vscode.Disposable.from(
    changed,
    vscode.workspace.onDidSaveTextDocument((document) => {
      if (isAssistant(document)) changed.fire();
    }),
    vscode.languages.registerCodeLensProvider(
      { scheme: ASSISTANT_SCHEME },
      {
        onDidChangeCodeLenses: changed.event,
        provideCodeLenses: async (document) => {
          const pending = (await files()).pendingSave(document);
          if (pending === undefined) return [];
          const title =
            pending === 'create'
              ? vscode.l10n.t('$(save) Save to Create Assistant')
              : vscode.l10n.t('$(save) Save as New Version');
          const command = { title, command: 'workbench.action.files.save' };
          return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)];
        },
      },
    ),
  );
}
