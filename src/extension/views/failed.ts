import * as vscode from 'vscode';

/** The row that is shown when rows could not be read. */
export class FailedElement {
  readonly id: string;
  readonly #error: unknown;

  /** @param parentId of the row above; undefined for the roots */
  constructor(parentId: string | undefined, error: unknown) {
    this.id = `${parentId ?? ''}/failed`;
    this.#error = error;
  }

  getTreeItem(): vscode.TreeItem {
    const message = this.#error instanceof Error ? this.#error.message : String(this.#error);
    const item = new vscode.TreeItem(message);
    item.iconPath = new vscode.ThemeIcon('error', new vscode.ThemeColor('errorForeground'));
    item.tooltip = message;
    item.command = { command: 'agentHarbor.showLog', title: vscode.l10n.t('Show Log') };
    return item;
  }
}
