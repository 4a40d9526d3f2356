import * as vscode from 'vscode';
import type { ErrorReporter } from '../errors.ts';
import { KnownElements } from './known-elements.ts';
import { Renewals } from './renewals.ts';

/** A row of a tree. Its id is stable, so that what is unfolded and selected survives a refresh. */
export interface TreeElement {
  readonly id: string;
  readonly parent?: TreeElement | undefined;
  getTreeItem(): vscode.TreeItem;
  /** Without it the row cannot be unfolded. */
  getChildren?(): Promise<readonly TreeElement[]>;
}

/** What a tree shows. */
export interface TreeSource {
  roots(): Promise<readonly TreeElement[]>;
  /** A sentence above the rows, as of the latest `roots()`; not for empty trees, which have a welcome view. */
  readonly message?: string | undefined;
  /** A word beside the view's title, such as how its rows are sorted. */
  readonly description?: string | undefined;
}

export interface TreeOptions {
  /** Called whenever the view comes into sight. */
  readonly onSeen: () => void;
  /** Whether several rows can be selected, for commands that take them all. */
  readonly selectsMany?: boolean;
}

/** A view of VS Code over a source: keeps elements by id, refreshes them one by one, and rests while hidden. */
export class Tree implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<TreeElement | undefined>();
  readonly #elements = new KnownElements<TreeElement>();
  readonly #renewals = new Renewals<TreeElement>({
    read: (element) => this.#read(element),
    find: (id) => this.#elements.find(id),
    show: (id) => this.#show(id),
  });
  readonly #viewId: string;
  readonly #source: TreeSource;
  readonly #errors: ErrorReporter;
  readonly #view: vscode.TreeView<TreeElement>;
  #isStale = false;

  constructor(viewId: string, source: TreeSource, errors: ErrorReporter, options: TreeOptions) {
    const { onSeen, selectsMany = false } = options;
    this.#viewId = viewId;
    this.#source = source;
    this.#errors = errors;
    this.#view = vscode.window.createTreeView(viewId, {
      treeDataProvider: {
        onDidChangeTreeData: this.#changed.event,
        getTreeItem: (element) => this.getTreeItem(element),
        getParent: (element) => element.parent,
        getChildren: (element) => this.#children(element, this.#renewals.children(element)),
      },
      showCollapseAll: false,
      canSelectMany: selectsMany,
    });
    this.#view.onDidChangeVisibility(({ visible }) => {
      if (visible) onSeen();
      else this.#renewals.discard();
      if (!visible || !this.#isStale) return;
      this.#isStale = false;
      this.refresh();
    });
    this.#view.onDidCollapseElement(({ element }) => this.#renewals.fold(element.id));
  }

  get isVisible(): boolean {
    return this.#view.visible;
  }

  /** Shows an element anew with what is below it, or everything; a hidden view waits until it is looked at. */
  refresh(id?: string): void {
    if (!this.#view.visible) {
      this.#isStale = true;
      return;
    }
    this.#renewals.ask(id);
  }

  /** The element with this id, if the tree has shown it. */
  find(id: string): TreeElement | undefined {
    return this.#elements.find(id);
  }

  /** What is shown now, without what changes by itself: two that are the same mean that nothing has happened. */
  fingerprint(): string {
    return [...this.#elements.values()]
      .map((element) => {
        const { label, iconPath } = element.getTreeItem();
        return [element.id, label, iconPath instanceof vscode.ThemeIcon ? iconPath.id : ''].join('|');
      })
      .join('\n');
  }

  async reveal(element: TreeElement): Promise<void> {
    this.#elements.add([element]);
    await this.#view.reveal(element, { select: true, focus: true, expand: true });
  }

  getTreeItem(element: TreeElement): vscode.TreeItem {
    const item = element.getTreeItem();
    item.id = element.id;
    return item;
  }

  /** What is below an element, or the roots, as of now. */
  async getChildren(element?: TreeElement): Promise<TreeElement[]> {
    return this.#children(element, this.#read(element));
  }

  async #children(
    element: TreeElement | undefined,
    read: Promise<readonly TreeElement[]>,
  ): Promise<TreeElement[]> {
    try {
      if (element === undefined) return await this.#roots(read);
      const children = await read;
      this.#elements.add(children);
      return [...children];
    } catch (error) {
      this.#errors.log(error, `show ${element?.id ?? this.#view.title ?? 'a view'}`);
      return [new FailedElement(element, error)];
    }
  }

  async #roots(read: Promise<readonly TreeElement[]>): Promise<TreeElement[]> {
    const { roots, asked } = await this.#elements.replace(() => read);
    // Without a message the type wants the property gone, VS Code an empty one.
    this.#view.message = this.#source.message ?? '';
    this.#view.description = this.#source.description ?? '';
    // VS Code takes an element for its own only after it has been handed over.
    if (asked.length > 0) setImmediate(() => asked.forEach((id) => void this.refresh(id)));
    return [...roots];
  }

  /** Reads a part of the tree; the view shows that it is at it. */
  async #read(element: TreeElement | undefined): Promise<readonly TreeElement[]> {
    const read = () => (element === undefined ? this.#source.roots() : element.getChildren?.());
    const location = { viewId: this.#viewId };
    return (await vscode.window.withProgress({ location }, async () => read())) ?? [];
  }

  #show(id: string | undefined): void {
    if (!this.#view.visible) {
      this.#isStale = true;
      this.#renewals.discard();
      return;
    }
    const element = id === undefined ? undefined : this.#elements.ask(id);
    if (id === undefined || element !== undefined) this.#changed.fire(element);
  }

  dispose(): void {
    this.#view.dispose();
    this.#changed.dispose();
  }
}

/** What a row has instead of children that could not be had. */
class FailedElement implements TreeElement {
  readonly id: string;
  readonly #error: unknown;

  constructor(parent: TreeElement | undefined, error: unknown) {
    this.id = `${parent?.id ?? ''}/failed`;
    this.#error = error;
  }

  getTreeItem(): vscode.TreeItem {
    const message = this.#error instanceof Error ? this.#error.message : String(this.#error);
    const item = new vscode.TreeItem(message);
    item.iconPath = new vscode.ThemeIcon('error', new vscode.ThemeColor('errorForeground'));
    item.tooltip = message;
    item.command = { command: 'agentHarbor.showLog', title: vscode.l10n.t('Show Log') };
    return item;
  }
}
