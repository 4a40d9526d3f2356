import * as vscode from 'vscode';
import { chooseSeveral, takeAnswer } from '../../dialogs/steps.ts';
import { planBefore, type Question } from './question.ts';

/** Asks which variables of the env file to deploy. */
export const chooseVariables: Question = {
  isOpen: ({ secrets }) => (secrets?.secrets.length ?? 0) > 0,
  ask: async (draft, options, dialog) => {
    const { secrets, target } = draft;
    // This never happens: then the question is not open.
    if (secrets === undefined) return 'skipped';
    const file = vscode.workspace.asRelativePath(secrets.file);
    const wanted = planBefore(draft, options)?.variables;
    const items = secrets.secrets.map((secret) => ({
      label: secret.name,
      picked: wanted === undefined || wanted.includes(secret.name),
    }));
    const placeholder =
      target === undefined
        ? vscode.l10n.t('Select variables from {0} to deploy (stored as secrets)', file)
        : vscode.l10n.t(
            'Select variables from {0} to deploy (stored as secrets). Select none to keep the current ones.',
            file,
          );
    return takeAnswer(await chooseSeveral({ ...dialog, placeholder, items }), (chosen) => {
      draft.variables =
        chosen.length === 0 && target !== undefined ? undefined : chosen.map(({ label }) => label);
    });
  },
};
