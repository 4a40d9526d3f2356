import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { HostMessage, OpenFolder } from '../../src/extension/panels/webview-rpc.ts';
import { distFolder } from './dist.ts';
import { eventually, patience } from './wait.ts';

interface PanelOptions {
  /** The data that the page comes with, as the extension writes it into `data-state`. */
  readonly state: unknown;
  /**
   * The extension's answers by request, or promises or functions that give them; other requests get an empty answer.
   */
  readonly answers: Readonly<Record<string, unknown>>;
  /** The folders that are open in the window. */
  readonly folders?: readonly OpenFolder[];
  /** VS Code's class for the kind of theme. */
  readonly theme?: 'vscode-dark' | 'vscode-light' | 'vscode-high-contrast';
  /** VS Code's colors, as it sets them on the page. */
  readonly colors?: Readonly<Record<`--vscode-${string}`, string>>;
}

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

/** The same as Playwright's own limit. */
const ACTION_TIMEOUT_MS = 30_000 * patience;

/** Code has no colors, unless the test gives it some. */
const DEFAULTS: Readonly<Record<string, unknown>> = { colorCode: [] };

const ORIGIN = 'http://panel.test';

/** VS Code's API in a webview: messages both ways, and a state that outlives the page. */
const VS_CODE_API = `globalThis.acquireVsCodeApi = () => ({
  postMessage: async (message) => postMessage(await askHost(message)),
  getState: () => JSON.parse(localStorage.getItem('state') ?? '[]')[0],
  setState: (state) => localStorage.setItem('state', JSON.stringify([state])),
});`;

/** An answer with which the extension reports a failure and offers actions. */
export class Refusal {
  readonly message: string;
  readonly actions: readonly string[];

  constructor(message: string, ...actions: readonly string[]) {
    this.message = message;
    this.actions = actions;
  }
}

/** A panel's own bundle in a browser; the test plays the extension host. */
export class PanelPage<Event> {
  readonly page: Page;
  /** The requests of the panel, oldest first. */
  readonly requests: Request[] = [];

  private constructor(page: Page) {
    this.page = page;
  }

  static async open<Event>(
    browser: Browser,
    bundle: 'run' | 'trace' | 'experiments',
    options: PanelOptions,
  ): Promise<PanelPage<Event>> {
    const panel = new PanelPage<Event>(await browser.newPage());
    const { page } = panel;
    page.setDefaultTimeout(ACTION_TIMEOUT_MS);
    await page.route(`${ORIGIN}/**`, async (route) => {
      const file = path.basename(new URL(route.request().url()).pathname);
      if (file === '') await route.fulfill({ contentType: 'text/html', body: documentOf(bundle, options) });
      else
        await route.fulfill({
          contentType: TYPES[path.extname(file)] ?? 'application/octet-stream',
          body: await readFile(path.join(distFolder, 'webviews', file)),
        });
    });
    await page.exposeFunction('askHost', async (request: Request): Promise<HostMessage<Event>> => {
      panel.requests.push(request);
      const { id } = request;
      const answer =
        request.method in options.answers ? options.answers[request.method] : DEFAULTS[request.method];
      const result: unknown = await (typeof answer === 'function' ? answer(request.params) : answer);
      return result instanceof Refusal
        ? { kind: 'failure', id, message: result.message, actions: result.actions }
        : { kind: 'answer', id, result };
    });
    await page.addInitScript(VS_CODE_API);
    await page.goto(`${ORIGIN}/`);
    await panel.#readiness();
    return panel;
  }

  /** Reloads the page, as VS Code does when the tab of a panel is shown again. */
  async reload(): Promise<void> {
    this.requests.length = 0;
    await this.page.reload();
    await this.#readiness();
  }

  /** Waits until the panel has asked for what it shows. */
  async #readiness(): Promise<void> {
    await eventually('the panel to be ready', () => this.requests.some(({ method }) => method === 'ready'));
  }

  /** Sends the panel events, as the extension host does. */
  async send(...events: readonly Event[]): Promise<void> {
    const message: HostMessage<Event> = { kind: 'events', events };
    await this.page.evaluate(`postMessage(${JSON.stringify(message)})`);
  }

  /** The state that the panel keeps with `setState`. */
  async state(): Promise<Readonly<Record<string, unknown>>> {
    return this.page.evaluate('acquireVsCodeApi().getState()');
  }
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.ttf': 'font/ttf',
};

function documentOf(
  bundle: string,
  { state, folders = [], theme = 'vscode-dark', colors = {} }: PanelOptions,
): string {
  const attribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const variables = Object.entries(colors).map(([name, color]) => `${name}: ${color}`);
  return `<!DOCTYPE html>
<html lang="en" style="${attribute(variables.join('; '))}">
<head>
<meta charset="utf-8">
<link rel="stylesheet" id="vscode-codicon-stylesheet" href="/codicon.css">
<link rel="stylesheet" href="/${bundle}.css">
</head>
<body class="${theme}" data-state="${attribute(JSON.stringify(state))}" data-folders="${attribute(JSON.stringify(folders))}">
<script src="/${bundle}.js"></script>
</body>
</html>`;
}
