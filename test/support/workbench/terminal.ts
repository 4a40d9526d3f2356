import type { Locator, Page } from 'playwright-core';
import { eventually } from '../wait.ts';
import type { QuickInput } from './quick-input.ts';

/** VS Code's integrated terminal. */
export class Terminal {
  readonly #page: Page;
  readonly #terminal: Locator;

  private constructor(page: Page) {
    this.#page = page;
    this.#terminal = page.locator('.part.panel .terminal-wrapper.active .xterm');
  }

  static async open(page: Page, quickInput: QuickInput): Promise<Terminal> {
    const terminal = new Terminal(page);
    await quickInput.runCommand('Terminal: Create New Terminal');
    await eventually(
      'a prompt in the terminal',
      () => terminal.text(),
      (text) => text.trim().length > 0,
    );
    return terminal;
  }

  /** The visible lines. */
  async text(): Promise<string> {
    const lines = await this.#terminal.locator('.xterm-rows > div').allTextContents();
    return lines
      .map((line) => line.replaceAll('\u00a0', ' ').trimEnd())
      .join('\n')
      .trimEnd();
  }

  /** Types a command and Enter. */
  async run(command: string): Promise<void> {
    await this.#terminal.click();
    await this.#page.keyboard.type(command);
    await this.#page.keyboard.press('Enter');
  }

  async waitForText(wanted: RegExp, timeoutMs?: number): Promise<string> {
    return eventually(
      `${wanted} in the terminal`,
      () => this.text(),
      (text) => wanted.test(text),
      timeoutMs,
    );
  }
}
