import * as vscode from 'vscode';
import type { TreeElement } from './tree.ts';

/** A row with a note, such as that its parent is empty. */
export class NoteElement implements TreeElement {
  readonly id: string;
  readonly parent: TreeElement;
  readonly #text: string;

  constructor(parent: TreeElement, text: string) {
    this.parent = parent;
    this.#text = text;
    this.id = `${parent.id}/note`;
  }

  getTreeItem(): vscode.TreeItem {
    const item = new vscode.TreeItem('');
    item.description = this.#text;
    item.accessibilityInformation = { label: this.#text };
    return item;
  }
}
