import * as vscode from 'vscode';
import { choose, takeAnswer } from '../../dialogs/steps.ts';
import { planBefore, type Question } from './question.ts';

/** Asks for the type of a new deployment. */
export const chooseType: Question = {
  // On this machine all types are the same.
  isOpen: ({ target, connection }) => target === undefined && connection.place !== 'local',
  ask: async (draft, options, dialog) => {
    const placeholder = vscode.l10n.t('Select a deployment type (cannot be changed later)');
    const wanted = draft.type ?? planBefore(draft, options)?.type;
    const isActive = (item: TypeItem) => item.type === wanted;
    const items = listTypeItems();
    return takeAnswer(await choose({ ...dialog, placeholder, items, isActive }), ({ type }) => {
      draft.type = type;
    });
  },
};

interface TypeItem extends vscode.QuickPickItem {
  readonly type: string;
}

function listTypeItems(): TypeItem[] {
  return [
    { label: vscode.l10n.t('Development'), description: 'dev', type: 'dev' },
    { label: vscode.l10n.t('Production'), description: 'prod', type: 'prod' },
    { label: vscode.l10n.t('Development, Free'), description: 'dev_free', type: 'dev_free' },
    { label: vscode.l10n.t('Serverless'), description: 'serverless', type: 'serverless' },
    { label: vscode.l10n.t('Dedicated'), description: 'dedicated', type: 'dedicated' },
  ];
}
