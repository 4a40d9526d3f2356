import * as vscode from 'vscode';
import type { Deploying } from '../../deploy/deploying.ts';
import { PlatformDeploymentElement, RevisionElement } from '../../views/platform-deployments.ts';
import { ago, joinParts } from '../../wording/format.ts';
import { sourceLabel } from '../../wording/revision-labels.ts';
import { rowCommand } from '../command.ts';

/**
 * Rolls back to an earlier revision, after asking: to the revision of the row, or else to the last one that
 * was deployed before the live one.
 */
export const rollBack = rowCommand(
  [PlatformDeploymentElement, RevisionElement],
  async ({ deploying }: { readonly deploying: () => Promise<Deploying> }, row) => {
    const element = row instanceof RevisionElement ? row.parent : row;
    const { connection, deployment } = element;
    const { revision, number } = row instanceof RevisionElement ? row : await findPrevious(element);
    const confirm = vscode.l10n.t('Roll Back');
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t('Roll back {0} on {1}?', deployment.name, connection.label),
      {
        modal: true,
        detail: vscode.l10n.t(
          'Creates a new revision from the source and variables of revision {0} ({1}).',
          number,
          joinParts(sourceLabel(revision), ago(revision.created_at)),
        ),
      },
      confirm,
    );
    if (chosen !== confirm) return;
    const target = { connectionId: connection.id, deploymentId: deployment.id, name: deployment.name };
    await (await deploying()).redeploy(
      { ...target, revisionId: revision.id },
      vscode.l10n.t('Rolled back {0} to revision {1}.', deployment.name, number),
    );
  },
);

/** Finds the newest deployed revision before the live one. @throws Error if there is none */
async function findPrevious(element: PlatformDeploymentElement): Promise<RevisionElement> {
  const { findPreviousRevision } = await import('../../../deploy/previous-revision.ts');
  return element.readRevision(await findPreviousRevision(element.client, element.deployment));
}
