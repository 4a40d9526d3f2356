import type { Locator, Page } from 'playwright-core';
import { eventually, patience, textMatches } from '../wait.ts';
import type { DomElement } from './dom.ts';

export interface QuickInputItem {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  /** Only for a pick with check boxes. */
  readonly checked?: boolean;
}

export interface QuickInputState {
  readonly title: string;
  readonly placeholder: string;
  readonly value: string;
  /** The message below the input: a prompt, or why the value is refused. */
  readonly message: string;
  /** The visible items; a long list shows the first dozen. */
  readonly items: readonly QuickInputItem[];
  /** The label of the item that Enter accepts; empty when there is none yet. */
  readonly active: string;
}

const palettePlaceholder = 'Type the name of a command to run.';

/** VS Code's quick picks, input boxes and command palette. */
export class QuickInput {
  readonly #page: Page;
  readonly #widget: Locator;

  constructor(page: Page) {
    this.#page = page;
    this.#widget = page.locator('.quick-input-widget');
  }

  /** The open input, or `undefined` when none is open. */
  async state(): Promise<QuickInputState | undefined> {
    if (!(await this.#widget.isVisible())) return undefined;
    return this.#widget.evaluate((widget: DomElement): QuickInputState => {
      const shown = (element: DomElement | null): string =>
        element && element.offsetHeight > 0 ? (element.textContent ?? '').trim() : '';
      const text = (row: DomElement, selector: string): string =>
        row.querySelector(selector)?.textContent ?? '';
      const input = widget.querySelector('.quick-input-box input');
      const rows = [...widget.querySelectorAll('.quick-input-list .monaco-list-row')];
      return {
        title: shown(widget.querySelector('.quick-input-title')),
        placeholder: input?.getAttribute('placeholder') ?? '',
        value: input && 'value' in input ? String(input.value) : '',
        message: shown(widget.querySelector('.quick-input-message')),
        active: text(widget, '.quick-input-list .monaco-list-row.focused .label-name'),
        items: rows.map((row) => {
          const box = row.querySelector('[role="checkbox"]');
          return {
            label: text(row, '.label-name'),
            description: text(row, '.label-description'),
            detail: text(row, '.quick-input-list-label-meta .label-name'),
            ...(box ? { checked: box.getAttribute('aria-checked') === 'true' } : {}),
          };
        }),
      };
    });
  }

  /** Waits until a quick input with this title or placeholder, or one that matches it, is open; any one by default. */
  async waitFor(titleOrPlaceholder: string | RegExp = /(?:)/): Promise<QuickInputState> {
    return eventually(
      `a quick input ${titleOrPlaceholder}`,
      () => this.state(),
      ({ title, placeholder }) => [title, placeholder].some((text) => textMatches(text, titleOrPlaceholder)),
    );
  }

  /** Replaces the text of the input. */
  async type(text: string): Promise<void> {
    await this.waitFor();
    await this.#widget.locator('.quick-input-box input').fill(text);
  }

  /** Chooses (in a pick with check boxes: toggles) the item with this label, typing it to find it. */
  async pick(label: string): Promise<void> {
    await this.waitFor();
    if (!(await this.#row(label).isVisible())) await this.type(label);
    await this.#pickTyped(label);
  }

  /** Presses Enter. */
  async accept(): Promise<void> {
    await this.#widget.locator('.quick-input-box input').press('Enter');
  }

  /** Presses Escape, and waits until the input has gone. */
  async cancel(): Promise<void> {
    await this.#page.keyboard.press('Escape');
    await this.#widget.waitFor({ state: 'hidden' });
  }

  /** Presses a button of its title bar, such as "Back". */
  async press(button: string): Promise<void> {
    await this.#widget.getByRole('button', { name: button }).first().click();
  }

  /** Runs a command from the palette by its full title, `Category: Title`. */
  async runCommand(title: string): Promise<void> {
    await eventually(`the command "${title}"`, async () => {
      await this.#typeInPalette(`>${title}`);
      // The palette closes if another element takes the focus, and then shows nothing more.
      const look = async (): Promise<'listed' | 'closed' | undefined> => {
        if (await this.#row(title).isVisible()) return 'listed';
        return (await this.state())?.value === `>${title}` ? undefined : 'closed';
      };
      // An open palette does not list commands that become available meanwhile, so it is opened again.
      const seen = await eventually('its row', look, Boolean, 5_000).catch(async (error: unknown) => {
        await this.cancel();
        throw error;
      });
      return seen === 'listed';
    });
    await this.#pickTyped(title);
    await eventually(
      `the command palette to close after "${title}"`,
      async () => (await this.state())?.placeholder !== palettePlaceholder,
    );
  }

  /** Opens a file of the workspace by its name. */
  async openFile(name: string): Promise<void> {
    await this.#typeInPalette(name);
    await this.#pickTyped(name);
    await this.#widget.waitFor({ state: 'hidden' });
  }

  /** The titles that the palette offers for a text; closes it again. */
  async commands(text: string): Promise<string[]> {
    await this.#typeInPalette(`>${text}`);
    const state = await eventually(
      `the commands for "${text}"`,
      () => this.state(),
      (seen) => seen.items.length > 0,
    );
    await this.cancel();
    return state.items.map((item) => item.label);
  }

  async #pickTyped(title: string): Promise<void> {
    await eventually(
      `the item "${title}"`,
      async () => (await this.state())?.items.map((item) => item.label) ?? [],
      (labels) => labels.includes(title),
    );
    await this.#row(title).click();
  }

  /** An editor or a panel that opens at that moment takes the focus, which closes the palette; then it is opened again. */
  async #typeInPalette(text: string): Promise<void> {
    const input = this.#widget.locator('.quick-input-box input');
    await eventually('the command palette with its text', async () => {
      await this.#openPalette();
      await input.fill(text, { timeout: 2000 * patience });
      return (await input.inputValue({ timeout: 2000 * patience })) === text;
    });
  }

  async #openPalette(): Promise<void> {
    const isOpen = async (): Promise<boolean> => (await this.state())?.placeholder === palettePlaceholder;
    const dialog = this.#page.locator('.monaco-dialog-box').filter({ visible: true });
    await eventually('the command palette', async () => {
      if (await isOpen()) return true;
      // A modal dialog takes all keys. Its text explains the failure.
      const asked = await dialog.allInnerTexts();
      if (asked.length > 0) throw new Error(`A dialog is open: ${asked.join(' ')}`);
      // Another open quick input would handle the key.
      if (await this.state()) await this.cancel();
      await this.#page.keyboard.press('F1');
      // The key may have gone to something that was just closing, or that has the focus even though it is gone; then it
      // is pressed again, with the focus on nothing.
      return eventually('it', isOpen, Boolean, 2000).catch(async (error: unknown) => {
        await this.#page
          .locator('*:focus')
          .first()
          .blur({ timeout: 1000 * patience })
          .catch(() => {});
        throw error;
      });
    });
  }

  #row(label: string): Locator {
    const name = this.#page.locator('.label-name').getByText(label, { exact: true });
    return this.#widget.locator('.quick-input-list .monaco-list-row').filter({ has: name }).first();
  }
}
