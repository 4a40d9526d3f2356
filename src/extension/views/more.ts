import * as vscode from 'vscode';
import type { TreeElement } from './tree.ts';

/** The row that loads another page. */
export class MoreElement implements TreeElement {
  readonly id: string;
  readonly parent: TreeElement | undefined;
  /** Makes the parent show another page once it is refreshed. */
  readonly load: () => void;
  readonly #left: number | undefined;

  /**
   * @param parent the row that it is below; undefined for a row of the view itself
   * @param left how many rows are not shown yet, if that is known
   */
  constructor(parent: TreeElement | undefined, left: number | undefined, load: () => void) {
    this.parent = parent;
    this.load = load;
    this.#left = left;
    this.id = parent === undefined ? 'more' : `${parent.id}/more`;
  }

  getTreeItem(): vscode.TreeItem {
    const item = new vscode.TreeItem(vscode.l10n.t('Load More'));
    item.description = this.#left === undefined ? '' : vscode.l10n.t('{0} left', this.#left);
    item.iconPath = new vscode.ThemeIcon('ellipsis');
    item.command = { command: 'agentHarbor.loadMore', title: vscode.l10n.t('Load More'), arguments: [this] };
    return item;
  }
}
