import * as vscode from 'vscode';
import { ask, takeAnswer } from '../../dialogs/steps.ts';
import { planBefore, type Question } from './question.ts';

/** Asks which image to deploy. */
export const askForImage: Question = {
  isOpen: ({ source }) => source.kind === 'image',
  ask: async (draft, options, dialog) => {
    const given = draft.source.kind === 'image' ? draft.source.image : '';
    const before = planBefore(draft, options)?.source;
    const known = before?.kind === 'image' ? before.image : '';
    return takeAnswer(
      await ask({
        ...dialog,
        prompt: vscode.l10n.t('Image with a tag or digest, on the platform’s machine or in a registry'),
        placeholder: 'registry.example.com/team/agent:1.0',
        value: given || known,
        check: (text) =>
          text === ''
            ? vscode.l10n.t('Enter an image name, such as {0}.', 'registry.example.com/team/agent:1.0')
            : undefined,
      }),
      (image) => {
        draft.source = { kind: 'image', image };
      },
    );
  },
};
