import * as vscode from 'vscode';
import { segment } from './address-segments.ts';
import { DOCUMENT_SCHEME } from './read-only-documents.ts';

/** A revision on the platform of a connection. */
export interface RevisionAddress {
  readonly connection: string;
  readonly deploymentId: string;
  readonly revisionId: string;
}

/**
 * The address of the document that shows a file of a revision.
 * @param file its path with slashes
 * @param top the folder of the files with which it is compared, because VS Code takes different paths for a
 *   renamed file
 */
export function revisionFileUri(
  { connection, deploymentId: deployment, revisionId: revision }: RevisionAddress,
  file: string,
  top = vscode.Uri.file('/'),
): vscode.Uri {
  return vscode.Uri.joinPath(top, ...file.split('/').map(segment)).with({
    scheme: DOCUMENT_SCHEME,
    authority: 'revision',
    query: new URLSearchParams({ connection, deployment, revision, file }).toString(),
  });
}
