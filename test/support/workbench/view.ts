import type { Locator, Page } from 'playwright-core';
import { eventually, patience, textMatches } from '../wait.ts';
import { readAllRows, scrollToRow } from './list.ts';
import { chooseMenuItem, isMenuOpen, menuItems } from './menu.ts';
import { type Row, type RowPath, rowAt, treeText } from './row.ts';

/** A view of a view container: its tree, its title bar, its welcome content. */
export class View {
  readonly title: string;
  readonly #page: Page;
  readonly #pane: Locator;

  constructor(page: Page, title: string) {
    this.#page = page;
    this.title = title;
    // Text beside the title is a part of the label.
    const label = `:is([aria-label=${JSON.stringify(`${title} Section`)}], [aria-label^=${JSON.stringify(`${title} - `)}])`;
    const header = page.locator(`.pane-header${label}`);
    this.#pane = page.locator('.pane').filter({ has: header });
  }

  /** Everything in the view, as its own elements. */
  get locator(): Locator {
    return this.#pane;
  }

  /** Waits until the view is there, and unfolds it. */
  async open(): Promise<this> {
    const header = this.#pane.locator('.pane-header');
    await header.waitFor({ state: 'attached' });
    if ((await header.getAttribute('aria-expanded')) === 'false') await header.click();
    await this.#pane.locator('.pane-body').waitFor();
    return this;
  }

  /**
   * All current rows of the tree, including those that have to be scrolled to; none while nothing is loaded or the view
   * shows its welcome content.
   */
  async rows(): Promise<Row[]> {
    if (!(await this.#tree.isVisible())) return [];
    return readAllRows(this.#page, this.#tree);
  }

  /** The tree as text, one row per line: `▾ Apple · red`, indented by level; see `treeText`. */
  async text(): Promise<string> {
    return treeText(await this.rows());
  }

  /**
   * Waits until the tree as text equals, matches or satisfies `wanted`.
   *
   * @returns the text
   */
  async waitForText(
    wanted: string | RegExp | ((text: string) => boolean),
    timeoutMs?: number,
  ): Promise<string> {
    return eventually(
      `the view ${this.title} as ${wanted}`,
      () => this.text(),
      (text) => {
        if (typeof wanted === 'function') return wanted(text);
        return typeof wanted === 'string' ? text.trimEnd() === wanted.trim() : wanted.test(text);
      },
      timeoutMs,
    );
  }

  /** Waits for a row and scrolls it into view. */
  async row(path: RowPath, timeoutMs?: number): Promise<Locator> {
    const found = await eventually(
      `the row ${JSON.stringify(path)} in the view ${this.title}`,
      async () => {
        const rows = await this.rows();
        const index = rowAt(rows, path);
        if (index === undefined) throw new Error(`not in:\n${treeText(rows)}`);
        // The tree may have changed since it was read; then the row is looked for again.
        return (await scrollToRow(this.#page, this.#tree, index)).label === rows[index]?.label ? index : -1;
      },
      (index) => index >= 0,
      timeoutMs,
    );
    return this.#tree.locator(`.monaco-list-row[data-index="${found}"]`);
  }

  /** Clicks a row: selects it and runs its command. */
  async click(path: RowPath): Promise<void> {
    await (await this.row(path)).locator('.label-name').first().click();
  }

  /** Unfolds a row and waits for what is below it to be loaded. */
  async expand(path: RowPath): Promise<void> {
    await this.#setExpanded(path, true);
  }

  async collapse(path: RowPath): Promise<void> {
    await this.#setExpanded(path, false);
  }

  /** Runs an inline action of a row, by its title. A row that was redrawn since it was pointed at hides its actions. */
  async inlineAction(path: RowPath, title: string): Promise<void> {
    await eventually(`the action ${title} of the row ${JSON.stringify(path)}`, async () => {
      const row = await this.row(path);
      await row.hover({ timeout: 1000 * patience });
      await row
        .locator('.actions .action-label')
        .and(this.#page.locator(`[aria-label^=${JSON.stringify(title)}]`))
        .click({ timeout: 1000 * patience });
      return true;
    });
  }

  /** The items of a row's context menu; closes it again. */
  async contextMenu(path: RowPath): Promise<string[]> {
    await this.#openMenu(path);
    const items = await menuItems(this.#page);
    await this.#page.keyboard.press('Escape');
    return items;
  }

  /** Runs an item of a row's context menu, by its title. */
  async contextMenuItem(path: RowPath, title: string): Promise<void> {
    await this.#openMenu(path);
    await chooseMenuItem(this.#page, title, () => this.#openMenu(path));
  }

  /** Runs an action in the view's title bar, or one under its "More Actions…". */
  async titleAction(title: string): Promise<void> {
    const header = this.#pane.locator('.pane-header');
    await header.hover();
    const button = header.locator(`.actions [role="button"][aria-label^=${JSON.stringify(title)}]`);
    if (await button.isVisible()) {
      await button.click();
      return;
    }
    const more = () => header.locator('.actions .codicon-toolbar-more').click();
    await more();
    await chooseMenuItem(this.#page, title, more);
  }

  /** The text of the welcome content with its buttons, one paragraph per line; empty when there is none. */
  async welcome(): Promise<string> {
    const content = this.#pane.locator('.welcome-view-content');
    if (!(await content.isVisible())) return '';
    return (await content.locator('p, .monaco-button').allTextContents()).join('\n');
  }

  /** Waits until the welcome content begins with, or matches, a text, and returns it. */
  async waitForWelcome(beginning: string | RegExp, timeoutMs?: number): Promise<string> {
    return eventually(
      `the welcome “${beginning}” of the view ${this.title}`,
      () => this.welcome(),
      (text) => (typeof beginning === 'string' ? text.startsWith(beginning) : beginning.test(text)),
      timeoutMs,
    );
  }

  /** Presses a button or follows a link in the welcome content. */
  async clickWelcome(text: string): Promise<void> {
    await this.#pane.locator('.welcome-view-content').getByText(text, { exact: true }).click();
  }

  /** The message above the tree (`TreeView.message`); empty when there is none. */
  async message(): Promise<string> {
    const message = this.#pane.locator('.tree-explorer-viewlet-tree-view > .message');
    return (await message.isVisible()) ? ((await message.textContent()) ?? '').trim() : '';
  }

  /** Waits until the message above the tree equals or matches a text: VS Code shows it a while after the rows. */
  async waitForMessage(wanted: string | RegExp, timeoutMs?: number): Promise<void> {
    await eventually(
      `the message “${wanted}” of the view ${this.title}`,
      () => this.message(),
      (text) => textMatches(text, wanted),
      timeoutMs,
    );
  }

  get #tree(): Locator {
    return this.#pane.locator('.monaco-list[role="tree"]');
  }

  /** Opens the menu of a row. VS Code opens none while it is redrawing the row, so the row is clicked until it does. */
  async #openMenu(path: RowPath): Promise<void> {
    await eventually(`the menu of ${JSON.stringify(path)}`, async () => {
      await (await this.row(path)).click({ button: 'right' });
      return isMenuOpen(this.#page);
    });
  }

  async #setExpanded(path: RowPath, expanded: boolean): Promise<void> {
    await eventually(`${JSON.stringify(path)} ${expanded ? 'unfolded' : 'folded'}`, async () => {
      const row = await this.row(path);
      if ((await row.getAttribute('aria-expanded')) === String(expanded)) {
        return (await row.locator('.codicon-tree-item-loading').count()) === 0;
      }
      await row.locator('.monaco-tl-twistie').click();
      return false;
    });
  }
}
