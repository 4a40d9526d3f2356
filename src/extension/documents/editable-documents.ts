import * as vscode from 'vscode';
import { isNotFound } from '../../client/request-error.ts';
import { sentenceOf } from '../dialogs/errors.ts';

/** Reads and writes the documents of one scheme. May throw errors of the platform, such as RequestError. */
export interface DocumentFiles {
  /** @param isBeingSaved whether VS Code asks because the user is saving */
  stat(uri: vscode.Uri, isBeingSaved: boolean): Promise<vscode.FileStat>;
  read(uri: vscode.Uri): Promise<Uint8Array>;
  /** Sends a document that the user saves. */
  write(uri: vscode.Uri, content: Uint8Array): Promise<void>;
  /** Keeps a text that VS Code saves automatically. */
  keepDraft(uri: vscode.Uri, content: Uint8Array): Promise<void>;
  /** Called after a save; returns whether the document must be read again. */
  showSaved?(uri: vscode.Uri): Promise<boolean>;
  /** The drafts; absent if saving sends nothing. */
  readonly drafts?: DocumentDrafts;
}

/** The drafts of documents: texts that VS Code has saved but that were not sent. */
interface DocumentDrafts {
  draftState(uri: string): 'none' | 'current' | 'outdated';
  /** The text of the server's version. */
  newestText(uri: string): string;
  discardDraft(uri: string): void;
}

interface EditableDocumentsOptions {
  readonly scheme: string;
  /** The files, loaded when the first document is opened. */
  readonly files: () => Promise<DocumentFiles>;
  /** The message when VS Code has saved a document automatically. */
  readonly draftKept: string;
  /**
   * The text above a draft when its resource has changed in the meantime, such as "The thread has changed".
   */
  readonly hasChanged?: string;
}

/** The file system for the documents of one scheme, which are stored on a server. */
export class EditableDocuments implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #options: EditableDocumentsOptions;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #watched = new Map<string, vscode.Uri>();
  /** Documents that VS Code is saving automatically. */
  readonly #savedByItself = new Set<string>();
  /** Documents that the user is saving, until VS Code has asked whether the server has a newer version. */
  readonly #savedByPerson = new Set<string>();
  readonly #draftsChanged = new vscode.EventEmitter<void>();
  /** Fires to make an open comparison read the server's version again. */
  readonly #newestAsked = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscriptions: vscode.Disposable;

  constructor(options: EditableDocumentsOptions) {
    this.#options = options;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      this.#draftsChanged,
      this.#newestAsked,
      vscode.workspace.registerFileSystemProvider(options.scheme, this, { isCaseSensitive: true }),
      vscode.workspace.registerTextDocumentContentProvider(newestSchemeOf(options.scheme), {
        onDidChange: this.#newestAsked.event,
        provideTextDocumentContent: async (uri) => {
          const original = uri.with({ scheme: options.scheme });
          await this.stat(original);
          return (await this.#options.files()).drafts?.newestText(original.toString());
        },
      }),
      vscode.languages.registerCodeLensProvider(
        { scheme: options.scheme },
        {
          onDidChangeCodeLenses: this.#draftsChanged.event,
          provideCodeLenses: ({ uri }) => this.#draftLenses(uri),
        },
      ),
      vscode.workspace.onWillSaveTextDocument(({ document, reason }) => {
        if (document.uri.scheme !== options.scheme) return;
        const key = document.uri.toString();
        const isByPerson = reason === vscode.TextDocumentSaveReason.Manual;
        (isByPerson ? this.#savedByPerson : this.#savedByItself).add(key);
        (isByPerson ? this.#savedByItself : this.#savedByPerson).delete(key);
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.scheme !== options.scheme) return;
        this.#draftsChanged.fire();
        void this.#showSaved(uri);
      }),
    );
  }

  get onDidChangeFile(): vscode.Event<vscode.FileChangeEvent[]> {
    return this.#changed.event;
  }

  /** Makes VS Code check open documents for newer versions, because something has changed on the server. */
  noteChange(): void {
    const changes = [...this.#watched.values()].map((uri) => ({ type: vscode.FileChangeType.Changed, uri }));
    if (changes.length > 0) this.#changed.fire(changes);
  }

  /** Shows how a draft differs from the server's version in a diff editor. */
  async compareDraft(uri: vscode.Uri): Promise<void> {
    const title = vscode.l10n.t('{0} (Newest ↔ Draft)', nameOf(uri));
    const newest = uri.with({ scheme: newestSchemeOf(uri.scheme) });
    this.#newestAsked.fire(newest);
    await vscode.commands.executeCommand('vscode.diff', newest, uri, title);
  }

  /** Shows the server's version instead of a draft. */
  async discardDraft(uri: vscode.Uri): Promise<void> {
    const { drafts } = await this.#options.files();
    drafts?.discardDraft(uri.toString());
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    this.#draftsChanged.fire();
  }

  watch(uri: vscode.Uri): vscode.Disposable {
    this.#watched.set(uri.toString(), uri);
    return new vscode.Disposable(() => this.#watched.delete(uri.toString()));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const files = await this.#options.files();
    const isBeingSaved = this.#savedByPerson.delete(uri.toString());
    const before = files.drafts?.draftState(uri.toString());
    const stat = await files
      .stat(uri, isBeingSaved)
      .catch((error: unknown) => Promise.reject(readError(uri, error)));
    if (before !== files.drafts?.draftState(uri.toString())) this.#draftsChanged.fire();
    return stat;
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

  async #draftLenses(uri: vscode.Uri): Promise<vscode.CodeLens[]> {
    const { drafts } = await this.#options.files();
    const state = drafts?.draftState(uri.toString()) ?? 'none';
    if (state === 'none') return [];
    const lens = (title: string, command: string) =>
      new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title, command, arguments: [uri] });
    const { hasChanged } = this.#options;
    return [
      ...(state === 'outdated' && hasChanged !== undefined
        ? [lens(`$(warning) ${hasChanged}`, 'agentHarbor.compareDraft')]
        : []),
      lens(vscode.l10n.t('Compare with Newest'), 'agentHarbor.compareDraft'),
      lens(vscode.l10n.t('Discard Draft'), 'agentHarbor.discardDraft'),
    ];
  }

  async #showSaved(uri: vscode.Uri): Promise<void> {
    const files = await this.#options.files();
    if (await files.showSaved?.(uri)) this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }
}

/**
 * The error for VS Code, which shows its message. A deleted document is reported as a missing file, and open
 * editors indicate that. VS Code writes any other error to its console each time it checks the document.
 */
function readError(uri: vscode.Uri, error: unknown): vscode.FileSystemError {
  return isNotFound(error) ? vscode.FileSystemError.FileNotFound(uri) : fileError(error);
}

function fileError(error: unknown): vscode.FileSystemError {
  return error instanceof vscode.FileSystemError ? error : new vscode.FileSystemError(sentenceOf(error));
}

/** The scheme of the server's version, which is compared with the draft of a document. */
function newestSchemeOf(scheme: string): string {
  return `${scheme}-newest`;
}

function nameOf({ path }: vscode.Uri): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
