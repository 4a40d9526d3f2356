import * as vscode from 'vscode';
import { confirmByName } from '../../dialogs/confirm-by-name.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { PlatformDeploymentElement } from '../../views/platform-deployments.ts';
import { rowCommand } from '../command.ts';

/** Deleting may take this long, because the deployment's runs are stopped first. */
const DELETE_TIMEOUT_MS = 120_000;
/** How long counting threads may take before the question is shown. */
const COUNT_TIMEOUT_MS = 5_000;

const location = { viewId: 'agentHarbor.deployments' };

/**
 * Deletes a deployment, and its traces if the user wants, after a question that lists what is deleted. The
 * user must type the name if the deployment may have threads or is for production.
 */
export const deleteDeployment = rowCommand(
  [PlatformDeploymentElement],
  async ({ trees }: { readonly trees: Trees }, row) => {
    const { connection, client, deployment } = row;
    const url = deployment.source_config.custom_url ?? undefined;
    const threads = await vscode.window.withProgress({ location }, () => countThreads(row));
    const confirm = vscode.l10n.t('Delete');
    const withTraces = vscode.l10n.t('Delete with Traces');
    const detail = [
      deletionText(threads),
      ...(url === undefined ? [] : [vscode.l10n.t('{0} will no longer respond.', url)]),
      vscode.l10n.t('Traces are kept unless you select “Delete with Traces”.'),
    ].join('\n');
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t('Delete the deployment “{0}” on {1}?', deployment.name, connection.label),
      { modal: true, detail },
      confirm,
      withTraces,
    );
    if (chosen !== confirm && chosen !== withTraces) return;
    const isProduction = deployment.source_config.deployment_type === 'prod';
    if ((threads !== 0 || isProduction) && !(await confirmName(deployment.name))) return;
    await vscode.window.withProgress({ location }, () =>
      client.deployments.delete(
        {
          params: { deployment_id: deployment.id },
          query: { delete_tracing_project: chosen === withTraces },
        },
        { timeoutMs: DELETE_TIMEOUT_MS },
      ),
    );
    trees.deployments.refresh();
  },
);

/** Counts the threads of a deployment. @returns undefined if it does not respond */
async function countThreads({ client, deployment }: PlatformDeploymentElement): Promise<number | undefined> {
  const { custom_url } = deployment.source_config;
  // A deployment that was never live has no threads.
  if (!custom_url) return deployment.active_revision_id === null ? 0 : undefined;
  const { threads } = client.withDeployment(custom_url);
  // A deployment that does not respond can be deleted too; the question mentions no number then.
  return threads.count({ body: {} }, { timeoutMs: COUNT_TIMEOUT_MS }).catch(() => undefined);
}

function deletionText(threads: number | undefined): string {
  if (threads === undefined)
    return vscode.l10n.t('This permanently deletes its revisions, assistants, and threads.');
  if (threads === 0)
    return vscode.l10n.t('This permanently deletes its revisions and assistants. It has no threads.');
  return threads === 1
    ? vscode.l10n.t('This permanently deletes its revisions, assistants, and 1 thread.')
    : vscode.l10n.t(
        'This permanently deletes its revisions, assistants, and {0} threads.',
        threads.toLocaleString(),
      );
}

function confirmName(name: string): Promise<boolean> {
  return confirmByName({
    title: vscode.l10n.t('Delete Deployment'),
    prompt: vscode.l10n.t('Type {0} to permanently delete it.', name),
    name,
  });
}
