import * as vscode from 'vscode';
import { choose, takeAnswer } from '../../dialogs/steps.ts';
import { joinParts } from '../../wording/format.ts';
import { planBefore, type Question } from './question.ts';

/** Asks whether to create a deployment, or a new revision of one. */
export const chooseTarget: Question = {
  isOpen: ({ existing }, { preset }) =>
    existing.length > 0 && existing.every(({ name }) => name !== preset.name),
  ask: async (draft, options, dialog) => {
    const existingItems = draft.existing.map((deployment) => ({
      label: deployment.name,
      description: joinParts(
        deployment.source_config.deployment_type ?? undefined,
        deployment.source_config.repo_url ?? deployment.source_revision_config.image_uri ?? undefined,
      ),
      deployment,
    }));
    const items = [
      {
        label: vscode.l10n.t('New Deployment…'),
        iconPath: new vscode.ThemeIcon('add'),
        deployment: undefined,
      },
      ...existingItems,
    ];
    const wanted = planBefore(draft, options)?.name;
    const isActive = (item: (typeof items)[number]) => item.deployment?.name === wanted;
    const placeholder = vscode.l10n.t('Create a deployment or update an existing one');
    return takeAnswer(await choose({ ...dialog, placeholder, items, isActive }), ({ deployment }) => {
      draft.target = deployment;
    });
  },
};
