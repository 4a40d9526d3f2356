import * as vscode from 'vscode';
import { configItem } from '../../deployments/configs.ts';
import { choose, takeAnswer } from '../../dialogs/steps.ts';
import type { Question } from './question.ts';

/** Asks which project of the open folders to deploy. */
export const chooseConfig: Question = {
  isOpen: (_draft, { configs, preset }) => preset.configPath === undefined && configs.length > 1,
  ask: async (draft, { configs }, dialog) => {
    const items = configs.map(configItem);
    const placeholder = vscode.l10n.t('Select the project to deploy');
    return takeAnswer(await choose({ ...dialog, placeholder, items }), ({ config }) => {
      draft.config = config;
    });
  },
};
