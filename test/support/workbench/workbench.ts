import { existsSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContext, FrameLocator, Page } from 'playwright-core';
import { launchBrowser } from '../browser.ts';
import { projectRoot } from '../cache.ts';
import { startVsCodeServer, type VsCodeServer } from '../vscode-server.ts';
import type { Settings } from '../vscode-settings.ts';
import { eventually, patience, textMatches } from '../wait.ts';
import { Dialog } from './dialog.ts';
import { Editors, outputText } from './editors.ts';
import { Notifications } from './notifications.ts';
import { collectProblems } from './problems.ts';
import { QuickInput } from './quick-input.ts';
import { Terminal } from './terminal.ts';
import { picturedThemes, type Theme, themes } from './theme.ts';
import { View } from './view.ts';
import { visibleWebview } from './webview.ts';

export interface WorkbenchOptions {
  /** A folder or a `.code-workspace` file; an empty window without it. */
  readonly folder?: string;
  /** Folders of extensions that are installed, built, from where they are; this project's own by default. */
  readonly extensions?: readonly string[];
  /** A package to install, instead of the project's own folder. */
  readonly vsix?: string;
  /** Added to the quiet settings of `vscode-server.ts`. */
  readonly settings?: Settings;
  /** Added to the environment of the extension host and the terminals. */
  readonly env?: Readonly<Record<string, string>>;
  /** The data folder of the extension's server; a temporary one by default. The server ends with the workbench. */
  readonly harborDataDir?: string;
  /** The size of the window, in CSS pixels. */
  readonly size?: Size;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Where screenshots and the evidence of failed tests go; ignored by git. */
export const resultsFolder = path.join(projectRoot, 'test-results');

const defaultSize: Size = { width: 1280, height: 800 };
const readyTimeoutMs = 60_000 * patience;
const actionTimeoutMs = 10_000 * patience;

/**
 * VS Code's own progress indicators turn even with reduced motion. Without a graphics card, the processor draws each of
 * their frames, which takes a third of a core for as long as anything loads.
 */
const KEEP_STILL = `if (window === window.top) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('.codicon-modifier-spin, .progress-bit { animation: none !important; }');
  document.adoptedStyleSheets.push(sheet);
}`;

/** A window of a real VS Code in a real browser, operated like a user does. */
export class Workbench {
  readonly page: Page;
  readonly server: VsCodeServer;
  readonly quickInput: QuickInput;
  readonly notifications: Notifications;
  readonly dialog: Dialog;
  readonly editors: Editors;
  /** Errors on the console and uncaught exceptions so far, of VS Code, extensions and webviews. */
  readonly problems: () => string[];
  readonly #close: () => Promise<void>;
  /** How often each test has failed, by its title. */
  readonly #failedTries = new Map<string, number>();

  private constructor(page: Page, server: VsCodeServer, close: () => Promise<void>) {
    this.page = page;
    this.server = server;
    this.quickInput = new QuickInput(page);
    this.notifications = new Notifications(page);
    this.dialog = new Dialog(page);
    this.editors = new Editors(page, this.quickInput);
    this.problems = collectProblems(page);
    this.#close = close;
  }

  /** Starts a separate VS Code and browser, opens a window, and waits until the extensions are loaded. */
  static async open(options: WorkbenchOptions = {}): Promise<Workbench> {
    const { vsix, settings = {}, env = {}, harborDataDir } = options;
    const { extensions = vsix === undefined ? [projectRoot] : [] } = options;
    const [server, browser] = await Promise.allSettled([
      startVsCodeServer({
        extensions,
        settings,
        env,
        ...(vsix && { vsix }),
        ...(harborDataDir ? { harborDataDir } : {}),
      }),
      launchBrowser(),
    ]);
    const close = async (): Promise<void> => {
      try {
        if (browser.status === 'fulfilled') await browser.value.close();
      } finally {
        if (server.status === 'fulfilled') await server.value.stop();
      }
    };
    try {
      if (server.status === 'rejected') throw server.reason;
      if (browser.status === 'rejected') throw browser.reason;
      return await Workbench.#openWindow(await browser.value.newContext(), server.value, options, close);
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Opens another window of the same user: same VS Code server, same browser profile. */
  async openWindow(options: Pick<WorkbenchOptions, 'folder' | 'size'> = {}): Promise<Workbench> {
    return Workbench.#openWindow(this.page.context(), this.server, options);
  }

  static async #openWindow(
    context: BrowserContext,
    server: VsCodeServer,
    { folder, size = defaultSize }: Pick<WorkbenchOptions, 'folder' | 'size'>,
    close?: () => Promise<void>,
  ): Promise<Workbench> {
    const page = await context.newPage();
    page.setDefaultTimeout(actionTimeoutMs);
    await page.addInitScript({ content: KEEP_STILL });
    await page.setViewportSize(size);
    const workbench = new Workbench(page, server, close ?? (() => page.close()));
    try {
      await page.goto(server.workbenchUrl({ folder }), { timeout: readyTimeoutMs });
      await workbench.#waitUntilReady();
    } catch (error) {
      await workbench.#keep('the workbench did not open');
      throw error;
    }
    return workbench;
  }

  /** Reloads the window, as a user does; waits until the extensions are loaded again. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.#waitUntilReady();
  }

  /** Closes the window; closing the one that was opened first also ends VS Code and the browser. */
  async close(): Promise<void> {
    await this.#close();
  }

  /** Runs a command from the palette by its full title, such as `Agent Harbor: Run`. */
  async runCommand(title: string): Promise<void> {
    await this.quickInput.runCommand(title);
  }

  /** Opens a view container in the activity bar by its title, unless it is open. */
  async openViewContainer(title: string): Promise<void> {
    // The label may end with a key binding, or with the text of a badge.
    const label = `.action-label:is([aria-label=${JSON.stringify(title)}], [aria-label^=${JSON.stringify(`${title} `)}])`;
    const tab = this.page.locator(`.part.activitybar [role="tab"]:has(${label})`);
    const open = async (): Promise<boolean> => {
      if ((await tab.getAttribute('aria-expanded', { timeout: 1000 * patience })) === 'true') return true;
      await tab.click({ timeout: 1000 * patience });
      return false;
    };
    // VS Code draws the icons of extensions when it has read all of them.
    await eventually(`the view container ${title}`, open, Boolean, 60_000);
    // Moves the pointer away from the icon, whose tooltip would cover the first rows.
    await this.page.mouse.move(defaultSize.width / 2, 5);
  }

  /** A view of the open view container by its title, unfolded. */
  async view(title: string): Promise<View> {
    return new View(this.page, title).open();
  }

  /** The document inside the webview panel or webview view with this title; waits until it is visible. */
  async webview(title: string): Promise<FrameLocator> {
    return visibleWebview(this.page, title);
  }

  /** The document inside the visible custom editor. VS Code gives its frame no title, so it is titled `undefined`. */
  async customEditor(): Promise<FrameLocator> {
    return visibleWebview(this.page, 'undefined');
  }

  /** The lines of an output channel that are on view, once there are any. */
  async outputText(channel: string): Promise<string> {
    return outputText(this.page, this.quickInput, channel);
  }

  /** Opens a new terminal and waits for its shell's prompt. */
  async openTerminal(): Promise<Terminal> {
    return Terminal.open(this.page, this.quickInput);
  }

  /** The texts of the status bar, left to right. */
  async statusBar(): Promise<string[]> {
    const texts = await this.page.locator('.part.statusbar .statusbar-item').allInnerTexts();
    return texts.map((text) => text.replace(/\s+/g, ' ').trim()).filter(Boolean);
  }

  /** Waits until one of the texts in the status bar equals or matches a text. */
  async waitForStatus(wanted: string | RegExp): Promise<void> {
    await eventually(
      `${wanted} in the status bar`,
      () => this.statusBar(),
      (texts) => texts.some((text) => textMatches(text, wanted)),
    );
  }

  /** Clicks the item in the status bar that contains this text. */
  async clickStatusBar(text: string | RegExp): Promise<void> {
    await this.page.locator('.part.statusbar .statusbar-item').filter({ hasText: text }).locator('a').click();
  }

  /** Makes the window a narrow column while an action runs. */
  async narrow(action: () => Promise<void>): Promise<void> {
    await this.#resized((size) => ({ ...size, width: 740 }), action);
  }

  /** Resizes the window to the space that remains at 200 % zoom. */
  async zoomed(action: () => Promise<void>): Promise<void> {
    await this.#resized(({ width, height }) => ({ width: width / 2, height: height / 2 }), action);
  }

  /** Drags the edge of the side bar until it has this width, in CSS pixels. */
  async sideBarWidth(width: number): Promise<void> {
    const bar = this.page.locator('.part.sidebar');
    const box = await bar.boundingBox();
    if (box === null) throw new Error('The side bar is hidden.');
    const middle = box.y + box.height / 2;
    await this.page.mouse.move(box.x + box.width + 1, middle);
    await this.page.mouse.down();
    await this.page.mouse.move(box.x + width + 20, middle);
    await this.page.mouse.move(box.x + width + 1, middle);
    await this.page.mouse.up();
  }

  async setTheme(theme: Theme): Promise<void> {
    const { label, bodyClass } = themes[theme];
    await this.quickInput.runCommand('Preferences: Color Theme');
    await this.quickInput.pick(label);
    await this.page.locator(`.monaco-workbench.${bodyClass}`).waitFor();
  }

  /** @returns the path of the PNG in `test-results/screenshots` */
  async screenshot(name: string): Promise<string> {
    const file = path.join(resultsFolder, 'screenshots', `${name}.png`);
    await mkdir(path.dirname(file), { recursive: true });
    await this.page.screenshot({ path: file, animations: 'disabled' });
    return file;
  }

  /** Takes `<name>-<theme>.png` in each of some themes, the last of which is the window's own. */
  async screenshotInThemes(name: string, chosen: readonly Theme[] = picturedThemes): Promise<string[]> {
    const files: string[] = [];
    for (const theme of chosen) {
      if (chosen.length > 1) await this.setTheme(theme);
      files.push(await this.screenshot(`${name}-${theme}`));
    }
    return files;
  }

  /**
   * Cancels an open dialog, quick input or menu and closes all notifications, so that the next test starts
   * from a clean state.
   */
  async dismissAll(): Promise<void> {
    await eventually('nothing open above the workbench', async () => {
      const open = this.page
        .locator('.monaco-dialog-box, .quick-input-widget, .monaco-menu')
        .filter({ visible: true });
      if ((await open.count()) === 0) return true;
      await this.page.keyboard.press('Escape');
      return false;
    });
    await this.notifications.dismissAll();
  }

  /**
   * For `afterEach(function () { return workbench.afterTest(this.currentTest); })`. For a failed test, it
   * stores evidence in `test-results/failures/<its title>`: a screenshot, the problems, and the logs of VS
   * Code, of its output channels and of the extension's server. Then it closes dialogs and menus that the
   * test left open, so that the test can be retried and the next one starts from a clean state. Never throws:
   * mocha would leave out all later tests.
   */
  async afterTest(test: Mocha.Test | undefined): Promise<void> {
    // A test that will be tried again is not marked as failed yet.
    if (test === undefined || test.isPassed() || test.isPending()) return;
    const title = test.fullTitle();
    const tries = (this.#failedTries.get(title) ?? 0) + 1;
    this.#failedTries.set(title, tries);
    try {
      await this.#keep(tries === 1 ? title : `${title} try ${tries}`);
      if (!this.page.isClosed()) await this.dismissAll();
    } catch (error) {
      console.error('      after the failed test:', error);
    }
  }

  async #keep(title: string): Promise<void> {
    const folder = path.join(resultsFolder, 'failures', title.replace(/[^\w-]+/g, '-'));
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'problems.log'), this.problems().join('\n'));
    await writeFile(path.join(folder, 'vscode-server.log'), this.server.output());
    const logs = path.join(this.server.dataFolder, 'user', 'logs');
    const serverLog = path.join(this.server.harborDataDir, 'server.log');
    for (const [from, to] of [
      [logs, 'vscode-logs'],
      [serverLog, 'agent-harbor-server.log'],
    ] as const) {
      if (existsSync(from)) await cp(from, path.join(folder, to), { recursive: true });
    }
    if (!this.page.isClosed()) await this.page.screenshot({ path: path.join(folder, 'screenshot.png') });
  }

  async #resized(resize: (size: Size) => Size, action: () => Promise<void>): Promise<void> {
    const size = this.page.viewportSize() ?? defaultSize;
    await this.page.setViewportSize(resize(size));
    try {
      await action();
    } finally {
      await this.page.setViewportSize(size);
    }
  }

  async #waitUntilReady(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: readyTimeoutMs });
    // VS Code sets this mark when the extension host knows all extensions.
    const isLoaded = (): boolean => performance.getEntriesByName('code/didLoadExtensions').length > 0;
    await this.page.waitForFunction(isLoaded, undefined, { timeout: readyTimeoutMs });
  }
}
