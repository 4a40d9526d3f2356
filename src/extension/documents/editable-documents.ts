import * as vscode from 'vscode';
import { isNotFound, sentenceOf } from '../dialogs/errors.ts';

/** Reads and writes the documents of one scheme. Whatever a platform answers may be thrown. */
export interface DocumentFiles {
  stat(uri: vscode.Uri): Promise<vscode.FileStat>;
  read(uri: vscode.Uri): Promise<Uint8Array>;
  /** Sends what a person saves. */
  write(uri: vscode.Uri, content: Uint8Array): Promise<void>;
  /** Keeps what VS Code saves automatically. */
  keepDraft(uri: vscode.Uri, content: Uint8Array): Promise<void>;
  /** Called after a save; returns whether the document must be read again. */
  showSaved?(uri: vscode.Uri): Promise<boolean>;
}

export interface EditableDocumentsOptions {
  readonly scheme: string;
  /** Loaded when the first document is opened. */
  readonly files: () => Promise<DocumentFiles>;
  /** The message when VS Code has saved a document automatically. */
  readonly draftKept: string;
}

/** The file system of documents that are kept on a server: it holds nothing but them. */
export class EditableDocuments implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #options: EditableDocumentsOptions;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #watched = new Map<string, vscode.Uri>();
  /** Documents that VS Code is saving automatically. */
  readonly #savedByItself = new Set<string>();
  readonly #subscriptions: vscode.Disposable;

  constructor(options: EditableDocumentsOptions) {
    this.#options = options;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.registerFileSystemProvider(options.scheme, this, { isCaseSensitive: true }),
      vscode.workspace.onWillSaveTextDocument(({ document, reason }) => {
        if (document.uri.scheme !== options.scheme) return;
        const key = document.uri.toString();
        if (reason === vscode.TextDocumentSaveReason.Manual) this.#savedByItself.delete(key);
        else this.#savedByItself.add(key);
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.scheme === options.scheme) void this.#showSaved(uri);
      }),
    );
  }

  get onDidChangeFile(): vscode.Event<vscode.FileChangeEvent[]> {
    return this.#changed.event;
  }

  /** Something has changed on the server: documents that are open are compared again. */
  noteChange(): void {
    const changes = [...this.#watched.values()].map((uri) => ({ type: vscode.FileChangeType.Changed, uri }));
    if (changes.length > 0) this.#changed.fire(changes);
  }

  watch(uri: vscode.Uri): vscode.Disposable {
    this.#watched.set(uri.toString(), uri);
    return new vscode.Disposable(() => this.#watched.delete(uri.toString()));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const files = await this.#options.files();
    return files.stat(uri).catch((error: unknown) => Promise.reject(readError(uri, error)));
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const files = await this.#options.files();
    return files.read(uri).catch((error: unknown) => Promise.reject(readError(uri, error)));
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const files = await this.#options.files();
    if (!this.#savedByItself.delete(uri.toString())) {
      await files.write(uri, content).catch((error: unknown) => Promise.reject(fileError(error)));
      return;
    }
    await files.keepDraft(uri, content).catch((error: unknown) => Promise.reject(fileError(error)));
    vscode.window.setStatusBarMessage(this.#options.draftKept, 5_000);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions(vscode.l10n.t('Folders cannot be created here.'));
  }

  delete(): never {
    throw vscode.FileSystemError.NoPermissions(
      vscode.l10n.t('To delete it, use the Delete command in its view.'),
    );
  }

  rename(): never {
    throw vscode.FileSystemError.NoPermissions(
      vscode.l10n.t('To rename it, change the name in the document.'),
    );
  }

  async #showSaved(uri: vscode.Uri): Promise<void> {
    const files = await this.#options.files();
    if (await files.showSaved?.(uri)) this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }
}

/**
 * The error for VS Code, which shows its sentence. A document that was deleted is a file that has gone, which its open
 * editor marks; any other error VS Code writes to the console, whenever the document is compared again.
 */
function readError(uri: vscode.Uri, error: unknown): vscode.FileSystemError {
  return isNotFound(error) ? vscode.FileSystemError.FileNotFound(uri) : fileError(error);
}

function fileError(error: unknown): vscode.FileSystemError {
  return error instanceof vscode.FileSystemError ? error : new vscode.FileSystemError(sentenceOf(error));
}
