import type { FrameLocator, Locator, Page } from 'playwright-core';

/** The experiments panel, as a user sees it. */
export class ExperimentsPage {
  readonly frame: FrameLocator;
  readonly #page: Page;

  constructor(page: Page, frame: FrameLocator) {
    this.#page = page;
    this.frame = frame;
  }

  get experiments(): Locator {
    return this.frame.getByRole('grid', { name: 'Experiments' });
  }

  get examples(): Locator {
    return this.frame.getByRole('grid', { name: 'Examples' });
  }

  /** The rows of a table that are in the document: their cells as screen readers read them. */
  async rows(table: Locator): Promise<string[][]> {
    const rows = table.locator('[role="row"][aria-selected]');
    return rows.evaluateAll((found) =>
      found
        .toSorted((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')))
        .map((row) => [...row.children].map((cell) => (cell.textContent ?? '').trim())),
    );
  }

  async filter(name: RegExp): Promise<void> {
    await this.frame.getByRole('button', { name }).click();
  }

  async press(table: Locator, ...keys: readonly string[]): Promise<void> {
    await table.focus();
    for (const key of keys) await this.#page.keyboard.press(key);
  }
}
