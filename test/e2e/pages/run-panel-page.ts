import type { FrameLocator, Locator, Page } from 'playwright-core';
import { eventually } from '../../support/wait.ts';
import type { DomElement } from '../../support/workbench/dom.ts';

/** The run panel, as somebody sees it who uses it. */
export class RunPanelPage {
  readonly frame: FrameLocator;
  readonly #page: Page;

  constructor(page: Page, frame: FrameLocator) {
    this.#page = page;
    this.frame = frame;
  }

  /** Types a message and sends it with Enter. */
  async send(message: string): Promise<void> {
    await this.frame.getByRole('textbox', { name: 'Message' }).fill(message);
    await this.#page.keyboard.press('Enter');
  }

  get status(): Locator {
    return this.frame.locator('header .status');
  }

  /** The status and the latest answer at one and the same moment. */
  async now(): Promise<{ readonly status: string; readonly answer: string }> {
    return this.frame.locator('body').evaluate((body: DomElement) => ({
      status: body.querySelector('header .status')?.textContent?.trim() ?? '',
      answer: [...body.querySelectorAll('.answer')].at(-1)?.textContent ?? '',
    }));
  }

  /** The text of the latest answer so far. */
  async answer(): Promise<string> {
    const answers = this.frame.locator('.answer');
    return (await answers.count()) === 0 ? '' : answers.last().innerText();
  }

  /** The outcome of the latest run, such as `Done`; waits for as many runs to have ended as asked for. */
  async outcome(runs = 1): Promise<string> {
    const outcomes = this.frame.locator('.outcome');
    await eventually(
      `${runs} runs to end`,
      () => outcomes.count(),
      (count) => count >= runs,
      60_000,
    );
    return (await outcomes.last().innerText()).trim();
  }

  /** What the run asks a person. */
  get question(): Locator {
    return this.frame.getByRole('region', { name: 'The run asks' }).last();
  }

  button(name: string): Locator {
    return this.frame.getByRole('button', { name }).last();
  }

  async comment(text: string): Promise<void> {
    await this.button('Comment').click();
    await this.frame.getByRole('textbox', { name: 'Comment' }).fill(text);
    await this.#page.keyboard.press('Enter');
  }

  /** The names of the steps and events shown so far. */
  async steps(): Promise<string[]> {
    return this.frame.locator('.row.step .name, .row.custom .name').allInnerTexts();
  }
}
