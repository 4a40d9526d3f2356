import * as vscode from 'vscode';
import { PlatformDeploymentElement } from '../views/platform-deployments.ts';
import { rowCommand } from './command.ts';

/** Time for stopping a deployment's runs; ms. */
const MAX_MS = 120_000;

/** Deletes a deployment, with its traces when asked to, after asking. */
export const deleteDeployment = rowCommand([PlatformDeploymentElement], async ({ trees }, row) => {
  const { connection, client, deployment } = row;
  const confirm = vscode.l10n.t('Delete');
  const withTraces = vscode.l10n.t('Delete with Traces');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Delete the deployment “{0}” on {1}?', deployment.name, connection.label),
    {
      modal: true,
      detail: vscode.l10n.t(
        'This permanently deletes its revisions, assistants, and threads. Traces are kept unless you select “Delete with Traces”.',
      ),
    },
    confirm,
    withTraces,
  );
  if (chosen !== confirm && chosen !== withTraces) return;
  const location = { viewId: 'agentHarbor.deployments' };
  await vscode.window.withProgress({ location }, () =>
    client.deployments.delete(
      {
        params: { deployment_id: deployment.id },
        query: { delete_tracing_project: chosen === withTraces },
      },
      { timeoutMs: MAX_MS },
    ),
  );
  trees.deployments.refresh();
});
