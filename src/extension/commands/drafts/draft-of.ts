import * as vscode from 'vscode';
import type { EditableDocuments } from '../../documents/editable-documents.ts';

export interface DraftParts {
  readonly editable: ReadonlyMap<string, EditableDocuments>;
}

/** The URI of the given document, or of the one in the active editor, and the documents of its scheme. */
export function draftOf({ editable }: DraftParts, given: unknown) {
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  return { uri, documents: uri && editable.get(uri.scheme) };
}
