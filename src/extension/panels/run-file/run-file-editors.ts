import type * as vscode from 'vscode';
import type { PanelKey } from '../webview-rpc.ts';
import { type RunFileEditorParts, showRunFile } from './show-run-file.ts';

/** The open editors of run files. */
export class RunFileEditors {
  readonly #parts: RunFileEditorParts;
  readonly #open = new Map<vscode.WebviewPanel, ReturnType<typeof showRunFile>>();

  constructor(parts: RunFileEditorParts) {
    this.#parts = parts;
  }

  show(panel: vscode.WebviewPanel, uri: vscode.Uri): void {
    this.#open.set(panel, showRunFile(panel, uri, this.#parts));
    panel.onDidDispose(() => this.#open.delete(panel));
  }

  /** The active editor, if it shows a run file. */
  get active(): { press(key: PanelKey): void } | undefined {
    return [...this.#open].find(([{ active }]) => active)?.[1];
  }
}
