import * as vscode from 'vscode';
import type { RevisionElement } from '../../views/platform-deployments.ts';

/** Asks whether the draining of a revision may end early. */
export async function confirmEndOfDraining({ revision, number, parent }: RevisionElement): Promise<boolean> {
  const { runs = 0 } = revision.draining ?? {};
  const confirm = vscode.l10n.t('End Draining');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('End draining revision {0} of {1}?', number, parent.deployment.name),
    {
      modal: true,
      detail:
        runs === 1
          ? vscode.l10n.t('1 run will continue on the live revision, from its last checkpoint.')
          : vscode.l10n.t('{0} runs will continue on the live revision, from their last checkpoints.', runs),
    },
    confirm,
  );
  return chosen === confirm;
}
