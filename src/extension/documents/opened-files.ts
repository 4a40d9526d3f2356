import * as vscode from 'vscode';

const SCHEME = 'agent-harbor-file';
/** With more files than this, the oldest are forgotten. */
const MAX_FILES = 20;

/**
 * Files from messages, such as images, that are shown in editors. They are kept in memory until the window is
 * closed.
 */
export class OpenedFiles implements vscode.FileSystemProvider {
  readonly #subscriptions: vscode.Disposable[];
  readonly #files = new Map<string, Uint8Array>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  #isRegistered = false;
  #count = 0;

  /** @param subscriptions receives the registration when the first file is opened. */
  constructor(subscriptions: vscode.Disposable[]) {
    this.#subscriptions = subscriptions;
  }

  /** Shows a file's bytes, given as base64, in the editor that VS Code has for its type. */
  async open({ name, mime, data }: { name: string; mime: string; data: string }): Promise<void> {
    if (!this.#isRegistered) {
      this.#isRegistered = true;
      const options = { isReadonly: true, isCaseSensitive: true };
      this.#subscriptions.push(vscode.workspace.registerFileSystemProvider(SCHEME, this, options));
    }
    // Loaded when it is needed, because the activation of the extension loads this file.
    const { fileName } = await import('./file-types.ts');
    this.#count += 1;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${this.#count}/${fileName(name, mime)}` });
    this.#files.set(uri.path, Buffer.from(data, 'base64'));
    const [oldest] = this.#files.keys();
    if (this.#files.size > MAX_FILES && oldest !== undefined) this.#files.delete(oldest);
    await vscode.commands.executeCommand('vscode.open', uri);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: this.readFile(uri).length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const bytes = this.#files.get(uri.path);
    if (bytes === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return bytes;
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}
