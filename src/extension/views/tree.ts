import * as vscode from 'vscode';
import type { ErrorReporter } from '../dialogs/errors.ts';
import { FailedElement } from './failed.ts';
import { describeItem, itemOf } from './row-item.ts';
import { type Readings, type Row, Rows } from './rows.ts';
import { TreeRefresh } from './tree-refresh.ts';

/** A row of a tree. Its ID is stable, so that expanded and selected rows survive a refresh. */
export interface TreeElement {
  readonly id: string;
  readonly parent?: TreeElement | undefined;
  getTreeItem(): vscode.TreeItem;
  /** If absent, the row cannot be expanded. */
  getChildren?(): Promise<readonly TreeElement[]>;
}

/** The rows of a tree. */
export interface TreeSource {
  roots(): Promise<readonly TreeElement[]>;
  /**
   * A sentence above the rows, as of the latest `roots()`; not for empty trees, which have a welcome view.
   */
  readonly message?: string | undefined;
  /** A number on the activity bar, as of the latest `roots()`. */
  readonly badge?: vscode.ViewBadge | undefined;
  /** A text beside the view's title, such as the order of its rows. */
  readonly description?: string | undefined;
}

interface TreeOptions {
  /** Called whenever the view becomes visible. */
  readonly onVisible: () => void;
  /** Whether several rows can be selected, for commands that take them all. */
  readonly selectsMany?: boolean;
}

/** A row as VS Code passes it to commands. */
type TreeRow = Row<TreeElement>;

/** A VS Code view of a source: keeps rows by ID, refreshes changed ones, and pauses while hidden. */
export class Tree implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<TreeRow[] | undefined>();
  readonly #rows = new Rows<TreeElement>((row) => describeItem(itemOf(row)));
  readonly #refresh = new TreeRefresh<TreeElement>({
    read: (element) => this.getChildren(element),
    find: (id) => this.#rows.find(id),
    // This waits, because VS Code must first register the rows that it was just given.
    show: (ids, readings) => setImmediate(() => this.#show(ids, readings)),
  });
  readonly #viewId: string;
  readonly #source: TreeSource;
  readonly #errors: ErrorReporter;
  readonly #view: vscode.TreeView<TreeRow>;
  #isStale = false;

  constructor(viewId: string, source: TreeSource, errors: ErrorReporter, options: TreeOptions) {
    const { onVisible, selectsMany = false } = options;
    this.#viewId = viewId;
    this.#source = source;
    this.#errors = errors;
    this.#view = vscode.window.createTreeView(viewId, {
      treeDataProvider: {
        onDidChangeTreeData: this.#changed.event,
        getTreeItem: (row) => {
          this.#rows.noteShown(row);
          return itemOf(row);
        },
        getParent: (row) => row.element.parent && this.#rows.of(row.element.parent),
        getChildren: async (row) => this.#rows.hand(row?.id, await this.#refresh.children(row?.element)),
      },
      showCollapseAll: false,
      canSelectMany: selectsMany,
    });
    this.#view.onDidChangeVisibility(({ visible }) => {
      if (visible) onVisible();
      else this.#refresh.discard();
      if (!visible || !this.#isStale) return;
      this.#isStale = false;
      this.refresh();
    });
    this.#view.onDidExpandElement(({ element }) => this.#refresh.unfold(element.id));
    this.#view.onDidCollapseElement(({ element }) => this.#refresh.fold(element.id));
  }

  get isVisible(): boolean {
    return this.#view.visible;
  }

  /** The number on the activity bar. */
  get badge(): vscode.ViewBadge | undefined {
    return this.#view.badge;
  }

  /**
   * The selected rows, in the form in which VS Code passes them to the commands of their menu: the first, and
   * all.
   */
  get selection(): readonly [TreeRow | undefined, readonly TreeRow[]] {
    const { selection } = this.#view;
    return [selection[0], selection];
  }

  /**
   * Refreshes an element with everything below it, or the whole tree; a hidden view is refreshed when it is
   * shown.
   */
  refresh(id?: string): void {
    if (!this.#view.visible) {
      this.#isStale = true;
      return;
    }
    this.#refresh.ask(id);
  }

  /** The element with this ID, if the tree has shown it. */
  find(id: string): TreeElement | undefined {
    return this.#rows.find(id);
  }

  /**
   * Selects a row and expands its ancestors, because a new row may be out of sight. A hidden view is left
   * unchanged.
   * @param id of the element; the part of a row's ID before a colon is enough
   */
  async reveal(id: string): Promise<void> {
    if (!this.#view.visible) return;
    try {
      const element = await this.#lookFor(id);
      if (element !== undefined) await this.#view.reveal(this.#rows.of(element), { select: true });
    } catch (error) {
      // The row may have been removed in the meantime.
      this.#errors.log(error, `reveal ${id}`);
    }
  }

  async #lookFor(id: string, above?: TreeElement): Promise<TreeElement | undefined> {
    for (const element of await this.getChildren(above)) {
      if (element.id === id || element.id.startsWith(`${id}:`)) return element;
      if (id.startsWith(`${element.id}/`)) return this.#lookFor(id, element);
    }
    return undefined;
  }

  /**
   * The visible rows as text, without anything that changes with time: equal texts mean that nothing has
   * changed.
   */
  fingerprint(): string {
    return [...this.#rows.elements()]
      .map((element) => {
        const { label, iconPath } = element.getTreeItem();
        return [element.id, label, iconPath instanceof vscode.ThemeIcon ? iconPath.id : ''].join('|');
      })
      .join('\n');
  }

  /** The current children of an element, or the roots; the view shows progress while they are read. */
  async getChildren(element?: TreeElement): Promise<readonly TreeElement[]> {
    const location = { viewId: this.#viewId };
    try {
      return await vscode.window.withProgress({ location }, async () =>
        element === undefined ? await this.#roots() : ((await element.getChildren?.()) ?? []),
      );
    } catch (error) {
      this.#errors.log(error, `show ${element?.id ?? this.#view.title ?? 'a view'}`);
      return [new FailedElement(element?.id, error)];
    }
  }

  async #roots(): Promise<readonly TreeElement[]> {
    const roots = await this.#source.roots();
    // VS Code clears a message only with an empty string, and sends every assignment to the window.
    const { message = '', description = '', badge } = this.#source;
    if (badge?.value !== this.#view.badge?.value) this.#view.badge = badge;
    if (message !== (this.#view.message ?? '')) this.#view.message = message;
    if (description !== (this.#view.description ?? '')) this.#view.description = description;
    return roots;
  }

  #show(ids: readonly (string | undefined)[], readings: Readings<TreeElement>): void {
    if (!this.#view.visible) {
      this.#isStale = true;
      this.#refresh.discard();
      return;
    }
    const changed = this.#rows.refresh(ids, readings, (id) => this.#refresh.isUnfolded(id));
    if (changed === 'everything') this.#changed.fire(undefined);
    else if (changed.length > 0) this.#changed.fire([...changed]);
  }

  dispose(): void {
    this.#view.dispose();
    this.#changed.dispose();
  }
}
