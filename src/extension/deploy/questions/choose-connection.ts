import * as vscode from 'vscode';
import { choose, takeAnswer } from '../../dialogs/steps.ts';
import { planBefore, type Question } from './question.ts';

/** Asks for the platform to deploy to. */
export const chooseConnection: Question = {
  isOpen: (_draft, { connections, preset }) => preset.connectionId === undefined && connections.length > 1,
  ask: async (draft, options, dialog) => {
    const items = options.connections.map((connection) => ({
      label: connection.label,
      iconPath: new vscode.ThemeIcon(connection.place === 'local' ? 'device-desktop' : 'cloud'),
      description: connection.place === 'local' ? vscode.l10n.t('on this machine') : '',
      connection,
    }));
    const placeholder = vscode.l10n.t('Select the platform to deploy to');
    const wanted = planBefore(draft, options)?.connectionId;
    const isActive = (item: (typeof items)[number]) => item.connection.id === wanted;
    return takeAnswer(await choose({ ...dialog, placeholder, items, isActive }), ({ connection }) => {
      draft.connection = connection;
    });
  },
};
