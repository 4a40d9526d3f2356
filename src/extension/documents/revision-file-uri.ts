import * as vscode from 'vscode';
import { DOCUMENT_SCHEME, segment } from './documents.ts';

/** A revision on the platform of a connection. */
export interface RevisionAddress {
  readonly connection: string;
  readonly deploymentId: string;
  readonly revisionId: string;
}

/**
 * Where a file of a revision is shown. VS Code takes two sides with different paths for a renamed file.
 * @param file its path with slashes
 * @param top the folder of the files that it is compared with, if they are in one
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
