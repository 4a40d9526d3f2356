import * as vscode from 'vscode';
import type { GitState } from '../../../project/git-state.ts';
import type { PlannedSource } from '../deploy-plan.ts';
import { folderText, notIncludedText } from '../source-texts.ts';
import type { DeployDraft, Work } from './question.ts';

/** Shows what is deployed and where, and asks for confirmation. */
export const confirm: Work = async (draft, { records }) => {
  const { config, connection, state } = draft;
  // This never happens: `inspectFolder`, which comes before, has read the state.
  if (state === undefined) return 'canceled';
  const deploy = vscode.l10n.t('Deploy');
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t('Deploy {0} to {1}?', config.name, connection.label),
    { modal: true, detail: summaryLines(draft, state, records).join('\n') },
    deploy,
  );
  return chosen === deploy ? 'next' : 'canceled';
};

function summaryLines(draft: DeployDraft, state: GitState, records: boolean): string[] {
  const { connection, target, name, type, source, variables, secrets } = draft;
  const lines = [
    fromText(source, state),
    source.kind === 'image' ? undefined : vscode.l10n.t('Config: {0}', state.configPath),
    target === undefined
      ? newDeploymentText(connection, name, type)
      : vscode.l10n.t('To: {0}, new revision of “{1}”', connection.label, target.name),
    variablesText(variables, target !== undefined),
    secrets === undefined || secrets.reserved.length === 0
      ? undefined
      : vscode.l10n.t('Not included (set by the platform): {0}', secrets.reserved.join(', ')),
    records ? vscode.l10n.t('Runs: recorded, with the answers of models and tools') : undefined,
    notIncludedText(state, source, connection.place),
  ];
  return lines.filter((line) => line !== undefined);
}

function fromText(source: PlannedSource, state: GitState): string {
  if (source.kind === 'folder') return folderText(state);
  if (source.kind === 'image') return vscode.l10n.t('Source: image {0}', source.image);
  return vscode.l10n.t('Source: {0} ({1})', source.url, source.ref.replace(/^refs\/tags\//, ''));
}

function newDeploymentText(
  { label, place }: DeployDraft['connection'],
  name: string,
  type: string | undefined,
): string {
  return place === 'local'
    ? vscode.l10n.t('To: {0}, new deployment “{1}”', label, name)
    : vscode.l10n.t('To: {0}, new deployment “{1}” ({2})', label, name, type ?? 'dev');
}

function variablesText(variables: readonly string[] | undefined, exists: boolean): string {
  if (variables === undefined)
    return exists ? vscode.l10n.t('Variables: unchanged') : vscode.l10n.t('Variables: none');
  return variables.length === 0
    ? vscode.l10n.t('Variables: none')
    : vscode.l10n.t('Variables: {0}', variables.join(', '));
}
