import * as vscode from 'vscode';
import type { Deployments } from '../../deployments/deployments.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { ProjectElement } from '../../views/traces.ts';
import { type Command, refuseLostRow } from '../command.ts';

interface SetRetentionParts {
  readonly deployments: Deployments;
  readonly trees: Trees;
}

/**
 * Shows and changes how long new traces are kept: of a project, or of the workspace when called without one.
 */
export const setRetention: Command<SetRetentionParts> = async ({ deployments, trees }, ...args) => {
  refuseLostRow(args);
  const [argument] = args;
  const client = await deployments.connection.connect();
  // The list has one item: the settings of the key's workspace.
  const [settings] = await client.purging.listTtl();
  if (settings === undefined)
    throw new Error(vscode.l10n.t('This platform does not provide retention settings.'));
  const { editProjectRetention, editWorkspaceRetention } = await import('./retention-dialogs.ts');
  if (argument instanceof ProjectElement) await editProjectRetention(client, argument, settings);
  else await editWorkspaceRetention(client, settings);
  trees.traces.refresh();
};
