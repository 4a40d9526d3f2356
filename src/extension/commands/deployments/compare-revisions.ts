import * as vscode from 'vscode';
import { type ComparedFile, changedFiles, type FileChange } from '../../../deploy/changed-files.ts';
import { readRevisionFiles } from '../../../deploy/revision-files.ts';
import { listFolderFiles } from '../../../project/folder-files.ts';
import { isSecretFile } from '../../../project/secret-files.ts';
import { type RevisionAddress, revisionFileUri } from '../../documents/revision-file-uri.ts';
import type { PlatformDeploymentElement, RevisionElement } from '../../views/platform-deployments.ts';

/** One side of a comparison: the files of a revision or of the folder. */
interface Side {
  readonly label: string;
  readonly files: readonly ComparedFile[];
  readonly isComplete: boolean;
  uri(file: string): vscode.Uri;
}

interface Changes {
  readonly deployment: string;
  readonly before: Side;
  readonly after: Side;
  readonly files: readonly FileChange[];
}

/**
 * Shows the differences between a revision and the live one in VS Code's multi-diff editor, the earlier one
 * on the left.
 */
export async function compareWithLive(row: RevisionElement): Promise<void> {
  const live = await findLive(row.parent);
  const [earlier, later] = row.number < live.number ? ([row, live] as const) : ([live, row] as const);
  const [before, after] = await whileReading(() => Promise.all([readSide(earlier), readSide(later)]));
  await showChanges({
    deployment: row.parent.name,
    before,
    after,
    files: changedFiles(before.files, after.files),
  });
}

/**
 * Shows the differences between a revision and the folder from which it was deployed. The files of the
 * folder can be edited in the diff. Files with secrets are left out.
 * @param row a deployment stands for its live revision; nothing is shown if it was not deployed from a folder
 */
export async function compareWithFolder(row: PlatformDeploymentElement | RevisionElement): Promise<void> {
  const revision = 'number' in row ? row : await findLive(row);
  const { name, folder } = revision.parent;
  if (folder === undefined) return;
  const top = vscode.Uri.file(folder);
  const [before, files] = await whileReading(() =>
    Promise.all([readSide(revision, top), listFolderFiles(folder)]),
  );
  const after: Side = {
    label: vscode.l10n.t('Folder'),
    files,
    isComplete: true,
    uri: (file) => vscode.Uri.joinPath(top, file),
  };
  const changed = changedFiles(before.files, files).filter(({ path }) => !isSecretFile(path));
  await showChanges({ deployment: name, before, after, files: changed });
}

/** @throws Error when no revision is live, RequestError */
async function findLive(row: PlatformDeploymentElement): Promise<RevisionElement> {
  const { active_revision_id } = row.deployment;
  if (active_revision_id !== null) return row.readRevision(active_revision_id);
  throw new Error(vscode.l10n.t('{0} has no live revision.', row.name));
}

/**
 * Reads the files of a revision.
 * @param top the folder that the revision is compared with
 */
async function readSide(
  { parent, revision, number, isLive }: RevisionElement,
  top?: vscode.Uri,
): Promise<Side> {
  const { client, connection, deploymentId } = parent;
  const address: RevisionAddress = { connection: connection.id, deploymentId, revisionId: revision.id };
  const { files, is_complete } = await readRevisionFiles(client, address);
  return {
    label: isLive ? vscode.l10n.t('Revision {0} (live)', number) : vscode.l10n.t('Revision {0}', number),
    files,
    isComplete: is_complete,
    uri: (file) => revisionFileUri(address, file, top),
  };
}

/** Shows in the status bar that files are being read. */
function whileReading<T>(read: () => Promise<T>): Thenable<T> {
  const title = vscode.l10n.t('Reading files…');
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, read);
}

/** Opens the multi-diff editor, or says that nothing differs; warns if a side is not complete. */
async function showChanges({ deployment, before, after, files }: Changes): Promise<void> {
  if (!before.isComplete || !after.isComplete)
    void vscode.window.showWarningMessage(
      vscode.l10n.t('Not all files of {0} were compared, because it has too many.', deployment),
    );
  if (files.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('{0} and {1} of {2} have the same files.', before.label, after.label, deployment),
    );
    return;
  }
  const resources = files.map(({ path, change }) => [
    (change === 'removed' ? before : after).uri(path),
    change === 'added' ? undefined : before.uri(path),
    change === 'removed' ? undefined : after.uri(path),
  ]);
  const title = vscode.l10n.t('{0}: {1} ↔ {2}', deployment, before.label, after.label);
  await vscode.commands.executeCommand('vscode.changes', title, resources);
}
