import * as vscode from 'vscode';
import { isHarbor } from '../../../client/is-harbor.ts';
import { listDeployments } from '../../../client/list-deployments.ts';
import { readGitState } from '../../../project/git-state.ts';
import { findSecrets } from '../../../project/secrets.ts';
import type { Work } from './question.ts';

/** Not a question: reads what the next questions need from the folder and the platform. */
export const inspectFolder: Work = async (draft, { connect, records, preset }) => {
  const { config, connection } = draft;
  const configPath = config.uri.fsPath;

  const location = vscode.ProgressLocation.Window;
  const title = vscode.l10n.t('Agent Harbor: Connecting to {0}…', connection.label);
  const [state, { all, canRecord }, secrets] = await vscode.window.withProgress({ location, title }, () =>
    Promise.all([
      readGitState(configPath),
      connect(connection).then(async (client) => ({
        all: await listDeployments(client),
        // Undefined if runs are not to be recorded.
        canRecord: records ? await isHarbor(client) : undefined,
      })),
      findSecrets(configPath),
    ]),
  );
  if (canRecord === false) throw cannotRecord(connection.label);
  draft.state = state;
  draft.existing = all.filter(
    // The server in an image decides itself which runs it records.
    ({ latest_revision_id, source }) =>
      latest_revision_id !== null && !(records && source === 'external_docker'),
  );
  draft.secrets = secrets;
  draft.target = draft.existing.find(({ name }) => name === preset.name);
  draft.variables = undefined;
  return 'skipped';
};

function cannotRecord(label: string): Error {
  return new Error(
    vscode.l10n.t('{0} cannot record runs. Use Deploy, or deploy to an Agent Harbor server.', label),
  );
}
