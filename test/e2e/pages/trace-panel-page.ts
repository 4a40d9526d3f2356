import type { FrameLocator, Locator, Page } from 'playwright-core';
import { eventually } from '../../support/wait.ts';

/** The trace panel, as a user sees it. */
export class TracePanelPage {
  readonly frame: FrameLocator;
  readonly #page: Page;

  constructor(page: Page, frame: FrameLocator) {
    this.#page = page;
    this.frame = frame;
  }

  get tree(): Locator {
    return this.frame.getByRole('treegrid', { name: 'Spans' });
  }

  get details(): Locator {
    return this.frame.getByRole('region', { name: 'Selected span' });
  }

  get selected(): Locator {
    return this.frame.locator('[role="row"][aria-selected="true"]');
  }

  /** The visible rows as text: indented names. */
  async rows(): Promise<string[]> {
    const items = this.tree.getByRole('row');
    return items.evaluateAll((rows) =>
      rows.map(
        (row) =>
          '  '.repeat(Number(row.getAttribute('aria-level')) - 1) +
          (row.querySelector('.name .label')?.textContent ?? ''),
      ),
    );
  }

  /** The accessible names of the visible rows. */
  async labels(): Promise<string[]> {
    const items = this.tree.getByRole('row');
    return items.evaluateAll((rows) =>
      rows.map((row) =>
        ['.label', '.for-screen-readers', '.tokens', '.time']
          .map((part) => row.querySelector(part)?.textContent ?? '')
          .filter((text) => text !== '' && text !== '…')
          .join(', '),
      ),
    );
  }

  async select(name: string): Promise<void> {
    await this.frame
      .getByRole('row', { name: new RegExp(`^${name} `) })
      .first()
      .click();
    await this.waitForSelected(name);
  }

  async press(...keys: readonly string[]): Promise<void> {
    await this.tree.focus();
    for (const key of keys) await this.#page.keyboard.press(key);
  }

  async waitForSelected(name: string): Promise<void> {
    await eventually(
      `${name} to be selected`,
      () => this.selected.locator('.name .label').innerText(),
      (text) => text === name,
    );
  }

  /** A part of the details by its title, such as `Input`. */
  part(title: string): Locator {
    return this.details.getByRole('region', { name: title, exact: true });
  }

  async giveFeedback(score: 'Good' | 'Bad', comment: string, correction: string): Promise<void> {
    await this.frame.getByRole('button', { name: 'Give Feedback' }).click();
    await this.frame.getByRole('button', { name: score, exact: true }).click();
    await this.frame.getByRole('textbox', { name: 'Comment' }).fill(comment);
    await this.frame.getByRole('button', { name: 'Add Correction' }).click();
    await this.frame.getByRole('textbox', { name: 'Correct output (JSON)' }).fill(correction);
    await this.frame.getByRole('button', { name: 'Send' }).click();
  }

  async search(text: string): Promise<void> {
    await this.frame.getByRole('textbox', { name: 'Find spans by name' }).fill(text);
  }
}
