import * as vscode from 'vscode';
import type { Deployment } from '../../../contract/control-plane/deployments.ts';
import { defaultName } from '../../../deploy/create-or-update.ts';
import { ask, takeAnswer } from '../../dialogs/steps.ts';
import type { Question } from './question.ts';

/** Asks for the name of a new deployment. */
export const askForName: Question = {
  isOpen: ({ target }) => target === undefined,
  ask: async (draft, _options, dialog) => {
    const { name, state, existing } = draft;
    return takeAnswer(
      await ask({
        ...dialog,
        prompt: vscode.l10n.t('Deployment name (also used for its tracing project)'),
        value: name || (state === undefined ? '' : freeName(defaultName(state), existing)),
        check: (text) => {
          if (text === '') return vscode.l10n.t('Enter a name.');
          const isTaken = existing.some((deployment) => deployment.name === text);
          return isTaken
            ? vscode.l10n.t('A deployment with this name already exists. Enter another name.')
            : undefined;
        },
      }),
      (text) => {
        draft.name = text;
      },
    );
  },
};

/** A name that no deployment has yet: `my-agent`, or else `my-agent-2` and so on. */
function freeName(wanted: string, existing: readonly Deployment[]): string {
  const names = new Set(existing.map(({ name }) => name));
  let name = wanted;
  for (let number = 2; names.has(name); number++) name = `${wanted}-${number}`;
  return name;
}
