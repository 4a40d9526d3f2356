import * as vscode from 'vscode';
import { millisecondsOf } from '../../terms/times.ts';
import { DocumentTexts, type DraftStore } from './document-texts.ts';
import type { DocumentFiles } from './editable-documents.ts';

/**
 * Resources of a server as documents. Automatic saves are kept as drafts; only a save by the user is sent.
 */
export abstract class DraftedFiles<
  Resource extends { readonly created_at?: string | null | undefined } | undefined,
> implements DocumentFiles
{
  readonly drafts: DocumentTexts<Resource>;

  constructor(drafts: DraftStore) {
    this.drafts = new DocumentTexts(drafts);
  }

  async stat(uri: vscode.Uri, isBeingSaved: boolean): Promise<vscode.FileStat> {
    const resource = await this.refresh(uri);
    if (isBeingSaved) this.drafts.beginSave(uri.toString());
    const { time, size } = this.drafts.shown(uri.toString());
    const ctime = millisecondsOf(resource?.created_at) ?? time;
    return { type: vscode.FileType.File, ctime, mtime: time, size };
  }

  async read(uri: vscode.Uri): Promise<Uint8Array> {
    await this.refresh(uri);
    return Buffer.from(this.drafts.shown(uri.toString()).text);
  }

  /** Keeps the text of an automatic save as a draft, without changing the server. */
  async keepDraft(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    await this.refresh(uri);
    this.drafts.keepDraft(uri.toString(), Buffer.from(content).toString());
  }

  abstract write(uri: vscode.Uri, content: Uint8Array): Promise<void>;

  /**
   * Reads the resource and stores its text in {@link drafts}. While the version on the server is unchanged,
   * `drafts` keeps the text as the user saved it.
   */
  protected abstract refresh(uri: vscode.Uri): Promise<Resource>;
}
