import * as vscode from 'vscode';
import type { DocumentFiles } from '../documents/editable-documents.ts';
import type { NodeRunner } from './node-runner.ts';

/**
 * Inputs of nodes as documents. Saved inputs live as long as the window, and are sent when the node is run.
 */
export class NodeInputFiles implements DocumentFiles {
  readonly #runner: NodeRunner;
  /** When documents were changed, in milliseconds since 1970. */
  readonly #changed = new Map<string, number>();

  constructor(runner: NodeRunner) {
    this.#runner = runner;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const mtime = this.#changed.get(uri.toString()) ?? 0;
    const size = (await this.read(uri)).byteLength;
    return { type: vscode.FileType.File, ctime: 0, mtime, size };
  }

  async read(uri: vscode.Uri): Promise<Uint8Array> {
    return Buffer.from(await this.#runner.readInputText(uri));
  }

  async write(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    this.#runner.setInputText(uri, Buffer.from(content).toString());
    this.#changed.set(uri.toString(), Date.now());
  }

  keepDraft(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    return this.write(uri, content);
  }
}
