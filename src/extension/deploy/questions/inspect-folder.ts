import * as vscode from 'vscode';
import { listDeployments } from '../../../deploy/find-deployment.ts';
import { readGitState } from '../../../project/git-state.ts';
import { findSecrets } from '../../../project/secrets.ts';
import type { Question } from './question.ts';

/** Not a question: reads what the next questions need from the folder and the platform. */
export const inspectFolder: Question = async (draft, { connect }) => {
  const { config, connection } = draft;
  const configPath = config.uri.fsPath;
  const { signal } = new AbortController();
  const location = vscode.ProgressLocation.Window;
  const title = vscode.l10n.t('Agent Harbor: Connecting to {0}…', connection.label);
  const [state, all, secrets] = await vscode.window.withProgress({ location, title }, () =>
    Promise.all([
      readGitState(configPath),
      connect(connection).then((client) => listDeployments(client, undefined, signal)),
      findSecrets(configPath, undefined),
    ]),
  );
  draft.state = state;
  draft.existing = all.filter(({ latest_revision_id }) => latest_revision_id !== null);
  draft.secrets = secrets;
  return 'skipped';
};
