import * as vscode from 'vscode';

/** The context key for `when` clauses, with the paths of the files that can be saved. */
const CONTEXT_KEY = 'agentHarbor.reviewedRuns';

/** Run files that are shown before they are saved, with a button in the title bar that saves them. */
export class RunReviews implements vscode.Disposable {
  /** The functions that end the reviews of files, by path. */
  readonly #open = new Map<string, (isToBeSaved: boolean) => void>();
  readonly #subscription: vscode.Disposable;

  constructor() {
    this.#subscription = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      for (const tab of closed) {
        const uri = uriOf(tab);
        if (uri !== undefined) this.answer(uri, false);
      }
    });
  }

  /** Shows a run file. @returns whether to save it, once the user has decided or closed the editor */
  async review(file: vscode.Uri): Promise<boolean> {
    const answered = new Promise<boolean>((resolve) => this.#open.set(file.fsPath, resolve));
    this.#updateContext();
    await vscode.commands.executeCommand('vscode.openWith', file, 'agentHarbor.runFile', { preview: false });
    return answered;
  }

  /** The run file in the active editor, if it is being reviewed. */
  get active(): vscode.Uri | undefined {
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    const uri = activeTab && uriOf(activeTab);
    return uri !== undefined && this.#open.has(uri.fsPath) ? uri : undefined;
  }

  /** Ends the review of a file. */
  answer(file: vscode.Uri, isToBeSaved: boolean): void {
    const resolve = this.#open.get(file.fsPath);
    if (resolve === undefined) return;
    this.#open.delete(file.fsPath);
    this.#updateContext();
    resolve(isToBeSaved);
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const resolve of this.#open.values()) resolve(false);
  }

  #updateContext(): void {
    void vscode.commands.executeCommand('setContext', CONTEXT_KEY, [...this.#open.keys()]);
  }
}

function uriOf({ input }: vscode.Tab): vscode.Uri | undefined {
  return input instanceof vscode.TabInputCustom ? input.uri : undefined;
}
