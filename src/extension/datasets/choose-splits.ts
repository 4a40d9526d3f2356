import * as vscode from 'vscode';
import { splitChanges, splitChoices } from './split-choice.ts';

/**
 * Asks for the splits of examples, one of which may be new.
 * @param known the splits of the dataset
 * @param current the splits of each example
 * @returns the splits that the examples are added to and removed from; undefined when canceled
 */
export async function chooseSplits(
  known: readonly string[],
  current: readonly (readonly string[])[],
): Promise<ReturnType<typeof splitChanges> | undefined> {
  const fresh = {
    label: vscode.l10n.t('New Split…'),
    iconPath: new vscode.ThemeIcon('add'),
    split: undefined,
  };
  const items = splitChoices(known, current).map(({ split, isShared, count }) => ({
    label: split,
    picked: isShared,
    split,
    ...(count > 0 && !isShared
      ? { description: vscode.l10n.t('{0} of {1} examples', count, current.length) }
      : {}),
  }));
  const title = vscode.l10n.t('Select the splits of the examples');
  const chosen = await vscode.window.showQuickPick([fresh, ...items], { title, canPickMany: true });
  if (chosen === undefined) return undefined;
  const splits = new Set(chosen.flatMap(({ split }) => split ?? []));
  if (!chosen.some(({ split }) => split === undefined)) return splitChanges(splits, current);
  const given = await vscode.window.showInputBox({
    title: vscode.l10n.t('New Split'),
    prompt: vscode.l10n.t('Split name'),
    validateInput: (value) => (value.trim() === '' ? vscode.l10n.t('Enter a name.') : undefined),
  });
  return given === undefined ? undefined : splitChanges(splits.add(given.trim()), current);
}
