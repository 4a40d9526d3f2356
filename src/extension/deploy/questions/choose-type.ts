import * as vscode from 'vscode';
import type { PlatformConnection } from '../../connections/connection.ts';
import { choose, taken } from '../../dialogs/steps.ts';
import { planBefore, type Question, title } from './question.ts';

/** Of which type a new deployment is. */
export const chooseType: Question = async (draft, options, canGoBack) => {
  if (draft.target !== undefined) return 'skipped';
  const items = typesFor(draft.connection);
  const placeholder = vscode.l10n.t('Select a deployment type (cannot be changed later)');
  const wanted = draft.type ?? planBefore(draft, options)?.type;
  const isActive = (item: TypeItem) => item.type === wanted;
  return taken(await choose({ title, canGoBack, placeholder, items, isActive }), ({ type }) => {
    draft.type = type;
  });
};

interface TypeItem extends vscode.QuickPickItem {
  readonly type: string;
}

function typesFor({ place }: PlatformConnection): TypeItem[] {
  const development = { label: vscode.l10n.t('Development'), description: 'dev', type: 'dev' };
  const production = { label: vscode.l10n.t('Production'), description: 'prod', type: 'prod' };
  if (place === 'local') return [development, production];
  return [
    development,
    production,
    { label: vscode.l10n.t('Development, Free'), description: 'dev_free', type: 'dev_free' },
    { label: vscode.l10n.t('Serverless'), description: 'serverless', type: 'serverless' },
    { label: vscode.l10n.t('Dedicated'), description: 'dedicated', type: 'dedicated' },
  ];
}
