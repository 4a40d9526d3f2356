import * as vscode from 'vscode';
import type { ExampleElement } from '../../views/datasets.ts';

/** @throws Error when the selected examples are in several datasets. */
export function requireOneDataset(examples: readonly ExampleElement[]): void {
  if (new Set(examples.map(({ parent }) => parent.dataset.id)).size > 1)
    throw new Error(
      vscode.l10n.t('The selected examples are in several datasets. Select examples from only one.'),
    );
}
