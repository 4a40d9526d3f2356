import * as vscode from 'vscode';
import { previousRevision } from '../../deploy/previous-revision.ts';
import { ago, shortId } from '../views/format.ts';
import { PlatformDeploymentElement, RevisionElement } from '../views/platform-deployments.ts';
import type { Command } from './command.ts';

/** Goes back to an earlier revision, the one that was live before unless another is given, after asking. */
export const rollBack: Command = async ({ deploying }, given) => {
  const element = given instanceof RevisionElement ? given.parent : given;
  if (!(element instanceof PlatformDeploymentElement)) return;
  const { connection, client, deployment } = element;
  const deployment_id = deployment.id;
  const revision =
    given instanceof RevisionElement
      ? given.revision
      : await client.revisions.get({
          params: { deployment_id, revision_id: await previousRevision(client, deployment) },
        });
  const commit = revision.source_revision_config?.repo_commit_sha?.slice(0, 7);
  const confirm = vscode.l10n.t('Roll Back');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Roll back {0} on {1}?', deployment.name, connection.label),
    {
      modal: true,
      detail: vscode.l10n.t(
        'This creates a new revision with the source and variables of revision {0} ({1}).',
        commit ?? shortId(revision.id),
        ago(revision.created_at),
      ),
    },
    confirm,
  );
  if (chosen !== confirm) return;
  const target = { connectionId: connection.id, deploymentId: deployment_id, name: deployment.name };
  await (await deploying()).redeploy({ ...target, revisionId: revision.id });
};
