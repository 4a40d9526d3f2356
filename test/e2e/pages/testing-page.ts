import type { Locator } from 'playwright-core';
import { eventually } from '../../support/wait.ts';
import { visibleLines } from '../../support/workbench/editors.ts';
import type { Workbench } from '../../support/workbench/workbench.ts';

/** Answers what *Make It a Test…* asks with a dataset that is new. */
export async function nameNewDataset({ quickInput }: Workbench, name: string): Promise<void> {
  await quickInput.waitFor('Select a dataset in this folder');
  await quickInput.pick('New Dataset…');
  await quickInput.waitFor('New Dataset');
  await quickInput.type(name);
  await quickInput.accept();
}

/** VS Code's Testing view, whose rows are built differently from those of trees. */
export class TestingPage {
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  async open(): Promise<void> {
    await this.#workbench.runCommand('Testing: Focus on Test Explorer View');
  }

  async expand(label: string): Promise<void> {
    await eventually(`${label} unfolded`, async () => {
      const row = this.#row(label);
      if ((await row.getAttribute('aria-expanded')) === 'true') return true;
      await row.locator('.monaco-tl-twistie').click();
      return false;
    });
  }

  /** Clicks a button of a row, such as `Run Test`. */
  async press(label: string, button: string): Promise<void> {
    const row = this.#row(label);
    await row.hover();
    await row.locator(`.action-label[aria-label^="${button}"]`).click();
  }

  /** Waits until a row has a button whose title shows its state. */
  async offers(label: string, button: string): Promise<void> {
    const row = this.#row(label);
    await row.hover();
    await row.locator(`.action-label[aria-label^="${button}"]`).waitFor();
  }

  /** The words that a screen reader says for a row. */
  async spoken(label: string): Promise<string> {
    return (await this.#row(label).getAttribute('aria-label')) ?? '';
  }

  /** The state of each row. */
  async states(): Promise<string[]> {
    return (await this.#texts()).map((text) => text.slice(text.lastIndexOf(': ') + 2));
  }

  /** Waits until the rows equal the given ones, each `label: state`. */
  async shows(...wanted: RegExp[]): Promise<string> {
    return eventually(
      `the tests ${wanted.join(', ')}`,
      async () => (await this.#texts()).join('\n'),
      (text) => wanted.every((pattern) => pattern.test(text)),
      60_000,
    );
  }

  /** Waits until the results contain a text. */
  async says(wanted: RegExp): Promise<void> {
    const rows = this.#workbench.page.locator('.test-output-peek-tree .monaco-list-row');
    await rows.filter({ hasText: wanted }).first().waitFor();
  }

  /** Chooses a message of the results, beside which both sides of a failing example are. */
  async showDifference(message: RegExp): Promise<void> {
    const rows = this.#workbench.page.locator('.test-output-peek-tree .monaco-list-row');
    await rows.filter({ hasText: message }).last().click();
    await this.#difference.waitFor();
  }

  /** The texts of the diff editor of the results, on either side. */
  async difference(): Promise<{ expected: string; actual: string }> {
    const side = (name: string) => visibleLines(this.#difference.locator(`.editor.${name}`));
    return { expected: await side('original'), actual: await side('modified') };
  }

  get #difference(): Locator {
    return this.#workbench.page.locator('.test-output-peek-message-container .monaco-diff-editor');
  }

  #row(label: string): Locator {
    return this.#rows.filter({ has: this.#workbench.page.locator('.label', { hasText: label }) }).first();
  }

  #texts(): Promise<string[]> {
    return this.#rows.evaluateAll((rows) =>
      rows.map((row) => {
        const label = row.querySelector('.label');
        const icon = row.querySelector('[class*="codicon-testing-"]')?.className ?? '';
        const isRunning = row.querySelector('.codicon-loading') !== null;
        const [, state = isRunning ? 'running' : 'none'] = /codicon-testing-(\w+)-icon/.exec(icon) ?? [];
        return `${label?.textContent ?? ''}: ${state}`;
      }),
    );
  }

  get #rows(): Locator {
    return this.#workbench.page.locator('.test-explorer .monaco-list-row');
  }
}
