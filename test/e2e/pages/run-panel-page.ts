import type { FrameLocator, Locator, Page } from 'playwright-core';
import { eventually, FinalFailure, patience, textMatches } from '../../support/wait.ts';
import type { DomElement } from '../../support/workbench/dom.ts';

/** An answer without its marks, which become formatting once they are closed. */
export function wordsOf(answer: string): string {
  return answer.replace(/[^\p{L}\p{N}]/gu, '');
}

/** The run panel, as a user sees it. */
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

  /** The status and the latest answer at the same moment. */
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

  /** Waits until the latest answer is, or matches, what is given, and returns it. */
  async waitForAnswer(wanted: string | RegExp): Promise<string> {
    return eventually(
      `the answer ${wanted}`,
      () => this.answer(),
      (text) => textMatches(text, wanted),
    );
  }

  /**
   * Waits until a run in progress has streamed some text, and then more: an answer only grows.
   * @returns the answer so far
   */
  async firstTokens(): Promise<string> {
    let before = '';
    let growths = 0;
    return eventually('an answer that grows while its run is going', async () => {
      const { status, answer } = await this.now();
      const now = wordsOf(answer);
      if (!now.startsWith(before)) throw new FinalFailure(`after “${before}” the panel shows “${now}”`);
      if (status !== 'Running') return undefined;
      if (now.length > before.length) growths++;
      before = now;
      return growths < 3 ? undefined : answer;
    });
  }

  /**
   * Looks at the latest answer again and again until its run has ended.
   * @returns the texts that were shown, in order, without consecutive duplicates
   */
  async answersMeanwhile(): Promise<string[]> {
    const shown: string[] = [];
    await eventually(
      'the run to end',
      async () => {
        const { status, answer } = await this.now();
        if (answer !== '' && answer !== shown.at(-1)) shown.push(answer);
        return status !== 'Running' && shown.length > 0;
      },
      Boolean,
      60_000,
    );
    return shown;
  }

  /** How many runs have ended. Rows that are out of sight are not in the document, so they cannot be counted there. */
  async ended(): Promise<number> {
    const timeline = this.frame.locator('.timeline');
    return (await timeline.count()) === 0 ? 0 : Number(await timeline.getAttribute('data-ended'));
  }

  /** How many runs of a thread that was opened again are shown to have ended before its newest. */
  async endedEarlier(): Promise<number> {
    const timeline = this.frame.locator('.timeline');
    return (await timeline.count()) === 0 ? 0 : Number(await timeline.getAttribute('data-earlier'));
  }

  /** The outcome of the latest run, such as `Done`, once the given number of runs has ended. */
  async outcome(runs = 1): Promise<string> {
    const outcomes = this.frame.locator('.outcome');
    await eventually(
      `${runs} runs to end`,
      () => this.ended(),
      (count) => count >= runs,
      60_000,
    );
    await outcomes.last().waitFor();
    // A row that has just come is measured before it is shown, and has no visible text until then.
    return ((await outcomes.last().textContent()) ?? '').trim();
  }

  /** The question of the run to a person. */
  get question(): Locator {
    return this.frame.getByRole('article', { name: 'Waiting for input' }).last();
  }

  /** The last button with this name. *Run* is the composer's: nodes and steps have actions that begin with it. */
  button(name: string): Locator {
    return this.frame.getByRole('button', { name, exact: name === 'Run' }).last();
  }

  /** A button of the header that stays pressed. */
  toggle(name: string): Locator {
    return this.frame.getByRole('switch', { name });
  }

  /** Presses a button of the header unless it is pressed already. */
  async turnOn(name: string): Promise<void> {
    await this.toggle(name).setChecked(true);
  }

  /** Gives the input as JSON. */
  async json(input: unknown): Promise<void> {
    const field = this.frame.getByRole('textbox', { name: 'Input as JSON' });
    const mode = this.frame.getByRole('button', { name: 'JSON', exact: true });
    // If only JSON can be entered, there is nothing to choose. A graph that a debugger has just been attached
    // to is loaded again, which may take a while.
    await mode
      .or(field)
      .first()
      .waitFor({ timeout: 60_000 * patience });
    if ((await mode.count()) > 0) await mode.click();
    await field.fill(JSON.stringify(input));
  }

  async comment(text: string): Promise<void> {
    await this.button('Give Feedback').click();
    await this.frame.getByRole('textbox', { name: 'Comment' }).fill(text);
    await this.#page.keyboard.press('Enter');
  }

  /** Gives feedback under a key of one's own. */
  async rate(key: string, score: string): Promise<void> {
    await this.button('Give Feedback').click();
    await this.frame.getByRole('combobox', { name: 'Key' }).fill(key);
    await this.frame.getByRole('textbox', { name: 'Score' }).fill(score);
    await this.#page.keyboard.press('Enter');
  }

  /** Enters a correction of the answer. */
  async correct(json: string): Promise<void> {
    await this.button('Give Feedback').click();
    await this.button('Add Correction').click();
    // The editor has the focus: what is typed and sent goes there.
    await this.#page.keyboard.press('ControlOrMeta+A');
    await this.#page.keyboard.insertText(json);
    await this.#page.keyboard.press('Control+Enter');
  }

  /** Waits until these are the names of the steps and events. */
  async waitForSteps(...names: readonly string[]): Promise<void> {
    await eventually(
      `the steps ${names.join(', ')}`,
      () => this.frame.locator('.row.step .name, .row.custom .name').allInnerTexts(),
      (shown) => shown.join() === names.join(),
    );
  }

  /** The person's messages, oldest first. */
  async said(): Promise<string[]> {
    return this.frame.getByRole('article', { name: 'You', exact: true }).allInnerTexts();
  }

  /** Waits until these are the person's messages. */
  async waitForSaid(...messages: readonly string[]): Promise<void> {
    await eventually(
      `the messages ${messages.join(' · ')}`,
      () => this.said(),
      (shown) => shown.join('\n') === messages.join('\n'),
    );
  }
}
