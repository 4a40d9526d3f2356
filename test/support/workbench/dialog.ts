import type { Page } from 'playwright-core';
import { eventually, textMatches } from '../wait.ts';
import type { DomElement } from './dom.ts';

export interface DialogState {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

/** VS Code's modal dialogs. */
export class Dialog {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** The message of the open dialog, or `undefined` when none is open. */
  async state(): Promise<DialogState | undefined> {
    const box = this.#page.locator('.monaco-dialog-box');
    if (!(await box.isVisible())) return undefined;
    return box.evaluate((element: DomElement) => ({
      message: element.querySelector('.dialog-message-text')?.textContent ?? '',
      // The lines of the detail are separated by elements, not by characters.
      detail: element.querySelector('.dialog-message-detail')?.innerText ?? '',
      buttons: [...element.querySelectorAll('.dialog-buttons .monaco-button')].map(
        (b) => b.textContent ?? '',
      ),
    }));
  }

  /** Waits for a dialog whose message equals or matches `message`. */
  async waitFor(message: string | RegExp): Promise<DialogState> {
    return eventually(
      `a dialog ${message}`,
      () => this.state(),
      (seen) => textMatches(seen.message, message),
    );
  }

  /** Presses a button and waits until the dialog has gone. */
  async press(button: string): Promise<void> {
    const box = this.#page.locator('.monaco-dialog-box');
    await box.getByRole('button', { name: button, exact: true }).click();
    await box.waitFor({ state: 'detached' });
  }
}
