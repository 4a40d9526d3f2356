import * as vscode from 'vscode';
import { assistantScheme } from './assistant-address.ts';
import type { AssistantFiles } from './assistant-files.ts';

/** The file system of assistants' documents, which holds nothing else. What reads and writes is loaded when needed. */
export class AssistantFileSystem implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #files: () => Promise<AssistantFiles>;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #watched = new Map<string, vscode.Uri>();
  /** Documents that VS Code is saving by itself. */
  readonly #savedByItself = new Set<string>();
  readonly #subscriptions: vscode.Disposable;

  constructor(files: () => Promise<AssistantFiles>) {
    this.#files = files;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.onWillSaveTextDocument(({ document, reason }) => {
        if (document.uri.scheme !== assistantScheme) return;
        const key = document.uri.toString();
        if (reason === vscode.TextDocumentSaveReason.Manual) this.#savedByItself.delete(key);
        else this.#savedByItself.add(key);
      }),
    );
  }

  get onDidChangeFile(): vscode.Event<vscode.FileChangeEvent[]> {
    return this.#changed.event;
  }

  /** Assistants have changed on the server: documents that are open are compared again. */
  changed(): void {
    const changes = [...this.#watched.values()].map((uri) => ({ type: vscode.FileChangeType.Changed, uri }));
    if (changes.length > 0) this.#changed.fire(changes);
  }

  watch(uri: vscode.Uri): vscode.Disposable {
    this.#watched.set(uri.toString(), uri);
    return new vscode.Disposable(() => this.#watched.delete(uri.toString()));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return (await this.#files()).stat(uri);
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#files()).read(uri);
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const files = await this.#files();
    if (!this.#savedByItself.delete(uri.toString())) {
      await files.write(uri, content);
      return;
    }
    await files.keepDraft(uri, content);
    vscode.window.setStatusBarMessage(
      vscode.l10n.t('Agent Harbor: this assistant is sent when you save it yourself.'),
      5_000,
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions(vscode.l10n.t('Assistants are in no folders.'));
  }

  delete(): never {
    throw vscode.FileSystemError.NoPermissions(vscode.l10n.t('Delete an assistant in the Assistants view.'));
  }

  rename(): never {
    throw vscode.FileSystemError.NoPermissions(vscode.l10n.t('Change the name in the document.'));
  }
}
