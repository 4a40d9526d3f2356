import type { Locator, Page } from 'playwright-core';
import { eventually } from '../wait.ts';
import type { DomElement } from './dom.ts';
import type { QuickInput } from './quick-input.ts';

/** The focused element may ignore keys, so waits for their effect end after this time. */
const KEYS_TIMEOUT_MS = 2_000;

/** The editor area: text editors and webview panels. */
export class Editors {
  readonly #page: Page;
  readonly #quickInput: QuickInput;

  constructor(page: Page, quickInput: QuickInput) {
    this.#page = page;
    this.#quickInput = quickInput;
  }

  /** The titles of the open editors, panels included, in the order of their tabs. */
  async tabs(): Promise<string[]> {
    // The text of a tab may be shortened; its label for screen readers is not, but says more than the title.
    const labels = await this.#page
      .locator('.part.editor .tab')
      .evaluateAll((tabs: DomElement[]) => tabs.map((tab) => tab.getAttribute('aria-label') ?? ''));
    return labels.map((label) => label.replace(/(, (preview|pinned|Editor Group \d+))+$/i, ''));
  }

  /** Opens a file of the workspace by its name, and waits for its text. */
  async open(fileName: string): Promise<void> {
    await this.#quickInput.openFile(fileName);
    await this.#page.locator(`.part.editor .tab.active[aria-label^=${JSON.stringify(fileName)}]`).waitFor();
    await this.#active.locator('.view-line').first().waitFor();
  }

  /** Goes to the tab with this title. */
  async show(title: string): Promise<void> {
    await this.#page.locator(`.part.editor .tab[aria-label^=${JSON.stringify(title)}]`).click();
  }

  /** The visible lines of the active text editor. */
  async text(): Promise<string> {
    return visibleLines(this.#active);
  }

  /** Waits until a text is visible in the active text editor. @returns all visible text */
  async waitForText(part: string): Promise<string> {
    return eventually(
      `a document with ${part}`,
      () => this.text(),
      (text) => text.includes(part),
    );
  }

  /** Runs an action of the title bar, by its title. */
  async titleAction(title: string): Promise<void> {
    const actions = this.#active.locator('.title .editor-actions');
    await actions.locator(`[role="button"][aria-label^=${JSON.stringify(title)}]`).click();
  }

  /** Puts the cursor in the active text editor at the beginning of a line; the first line is 1. */
  async goTo(line: number): Promise<void> {
    await this.#quickInput.runCommand('Go to Line/Column...');
    await this.#page.keyboard.type(String(line));
    await this.#page.keyboard.press('Enter');
    await this.#page.keyboard.press('Home');
    await this.#page.keyboard.press('Home');
  }

  /**
   * Closes all editors, which must be saved: VS Code asks about one that is still being saved, even if the server has
   * it.
   */
  async closeAll(): Promise<void> {
    await eventually('nothing that is not saved', async () => {
      return (await this.#page.locator('.part.editor .tab.dirty').count()) === 0;
    });
    await this.#close(async () => (await this.tabs()).length === 0);
  }

  /** Closes all editors without saving, such as those of an earlier attempt of a test. */
  async discardAll(): Promise<void> {
    const discard = this.#page.locator('.monaco-dialog-box').getByRole('button', { name: "Don't Save" });
    await this.#close(async () => {
      if (await discard.isVisible()) await discard.click();
      return (await this.tabs()).length === 0;
    });
  }

  /**
   * Closes all editors with keys, because finding a command in the palette takes VS Code a second of
   * processor time.
   */
  async #close(areClosed: () => Promise<boolean>): Promise<void> {
    if ((await this.tabs()).length === 0) return;
    await this.#page.keyboard.press('ControlOrMeta+K');
    await this.#page.keyboard.press('ControlOrMeta+W');
    await eventually('no editor', areClosed, Boolean, KEYS_TIMEOUT_MS).catch(async () => {
      await this.#quickInput.runCommand('View: Close All Editors');
      await eventually('no editor', areClosed);
    });
  }

  get #active(): Locator {
    return this.#page.locator('.part.editor .editor-group-container.active');
  }
}

/** The visible lines of an output channel, once there are any. */
export async function outputText(page: Page, quickInput: QuickInput, channel: string): Promise<string> {
  await quickInput.runCommand('Output: Show Output Channels...');
  await quickInput.pick(channel);
  const panel = page.locator('.part.panel .output-view');
  return eventually(`the output channel ${channel}`, () => visibleLines(panel));
}

/** The visible lines of a text editor. VS Code draws them in any order, and spaces as non-breaking ones. */
export async function visibleLines(within: Locator): Promise<string> {
  const lines = await within.locator('.view-line').evaluateAll((elements: DomElement[]) =>
    elements
      .map((element) => ({ top: Number.parseFloat(element.style.top), text: element.textContent ?? '' }))
      .sort((a, b) => a.top - b.top)
      .map(({ text }) => text),
  );
  return lines.join('\n').replaceAll('\u00a0', ' ');
}
