import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { createDispatcher } from '../../../src/client/dispatcher.ts';
import type { ServerFile } from '../../../src/contract/server-file.ts';
import { clientOf } from '../../../src/launcher/client-of.ts';
import { readServerFile } from '../../../src/launcher/server-file.ts';
import type { Settings } from '../../support/vscode-settings.ts';
import { eventually, patience } from '../../support/wait.ts';
import { Workbench } from '../../support/workbench/workbench.ts';
import { RunPanelPage } from './run-panel-page.ts';

export interface HarborWindowOptions {
  readonly folder?: string;
  readonly settings?: Settings;
  /** A package to install, instead of the project's own folder. */
  readonly vsix?: string;
  /** Folders of extensions that are installed, instead of the project's own alone. */
  readonly extensions?: readonly string[];
  /** By default, a temporary folder. */
  readonly dataDir?: string;
  /** The size of the window, in CSS pixels. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Added to the environment of the extension host and the terminals. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A state of a thread with messages whose content is text. */
const Messages = z.object({ values: z.object({ messages: z.array(z.object({ content: z.string() })) }) });

/** A VS Code window with Agent Harbor in it, in a VS Code and on a data folder of its own. */
export class HarborWindow {
  readonly workbench: Workbench;
  readonly dataDir: string;
  readonly #folder: string | undefined;
  readonly #close: () => Promise<void>;

  private constructor(
    workbench: Workbench,
    dataDir: string,
    folder: string | undefined,
    close: () => Promise<void>,
  ) {
    this.workbench = workbench;
    this.dataDir = dataDir;
    this.#folder = folder;
    this.#close = close;
  }

  static async open({
    folder,
    settings,
    vsix,
    extensions,
    dataDir,
    size,
    env,
  }: HarborWindowOptions): Promise<HarborWindow> {
    const temporary = await realpath(await mkdtemp(path.join(tmpdir(), 'agent-harbor-e2e-')));
    const data = dataDir ?? path.join(temporary, 'data');
    const workbench = await Workbench.open({
      ...(folder && { folder }),
      ...(settings && { settings }),
      ...(size && { size }),
      ...(vsix && { vsix }),
      ...(extensions && { extensions }),
      env: { ...env, AGENT_HARBOR_DATA_DIR: data },
    });
    return new HarborWindow(workbench, data, folder, async () => {
      await workbench.close();
      await rm(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    });
  }

  /**
   * Opens another window of the same VS Code and on the same data folder, which takes a third of the processor time of
   * another VS Code. It can be closed alone, and is closed with the first at the latest.
   */
  async openAnother({ folder, size }: Pick<HarborWindowOptions, 'folder' | 'size'>): Promise<HarborWindow> {
    const workbench = await this.workbench.openWindow({ ...(folder && { folder }), ...(size && { size }) });
    return new HarborWindow(workbench, this.dataDir, folder, () => workbench.close());
  }

  /** The same window, whose VS Code keeps running when it is closed. */
  closedAlone(): HarborWindow {
    return new HarborWindow(this.workbench, this.dataDir, this.#folder, () => this.workbench.page.close());
  }

  /** Shows the views, and waits until the graph is served. */
  async openViews(graph: string | RegExp): Promise<void> {
    await this.workbench.openViewContainer('Agent Harbor');
    const deployments = await this.workbench.view('Deployments');
    const served = typeof graph === 'string' ? new RegExp(`^ +- ${graph}\\b`, 'm') : graph;
    await deployments.waitForText(served, 60_000);
  }

  async runPanel(title: string): Promise<RunPanelPage> {
    return new RunPanelPage(this.workbench.page, await this.workbench.webview(title));
  }

  /** Runs the graph, assistant or thread of a row in a new panel, with nothing else open. */
  async newRunPanel(view: 'Deployments' | 'Assistants', row: readonly string[]): Promise<RunPanelPage> {
    await this.workbench.editors.closeAll();
    await (await this.workbench.view(view)).inlineAction(row, 'Run');
    return this.runPanel(row[row.length - 1] ?? '');
  }

  /** Reloads the window as its own command does, which lets VS Code store what is open. */
  async reload(): Promise<void> {
    const { page } = this.workbench;
    const loaded = page.waitForEvent('load', { timeout: 60_000 * patience });
    await this.workbench.runCommand('Developer: Reload Window');
    await loaded;
    await page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 60_000 * patience });
  }

  /** Creates an assistant that answers slowly, and waits until its row appears. */
  async makeSlowAssistant(graph_id: string): Promise<void> {
    const client = await this.agentClient();
    const context = { token_delay_ms: 60 };
    await client.assistants.create({ body: { graph_id, name: 'slow', context } });
    await (await this.workbench.view('Assistants')).waitForText(/▸ slow/);
  }

  /** Where the server is; waits until there is one. */
  server(unlike?: number): Promise<ServerFile> {
    return eventually(
      'the server',
      () => readServerFile(this.dataDir),
      ({ pid }) => pid !== unlike,
      30_000,
    );
  }

  /** Asks the server itself what it holds. */
  async client() {
    const { base_url, api_key } = await this.server();
    return clientOf({ baseUrl: base_url, apiKey: api_key }, createDispatcher());
  }

  /** The same client, for the folder's agent server. */
  async agentClient() {
    const client = await this.client();
    const { resources } = await client.deployments.list();
    const isOwn = (name: string) => resources.length === 1 || name === path.basename(this.#folder ?? '');
    const url = resources
      .filter(({ name }) => isOwn(name))
      .map(({ source_config }) => source_config.custom_url)
      .find((value) => typeof value === 'string');
    if (url === undefined) throw new Error('The folder is not served.');
    return client.withDeployment(url);
  }

  /** The last text of the newest thread of the folder's agent server, without what Markdown hides. */
  async newestAnswer(): Promise<string> {
    const { threads } = await this.agentClient();
    const [thread] = await threads.search({ body: { limit: 1, sort_by: 'created_at', sort_order: 'desc' } });
    const params = { thread_id: thread?.thread_id ?? '' };
    const { values } = Messages.parse(await threads.getState({ params }));
    const said = values.messages.at(-1)?.content ?? '';
    return said.replace(/\]\([^)]*\)/g, ']');
  }

  /** Deletes the threads of the folder's agent server, such as those of an earlier attempt. */
  async deleteThreads(status?: 'idle' | 'interrupted'): Promise<void> {
    const { threads } = await this.agentClient();
    const found = await threads.search({ body: { limit: 100, ...(status && { status }) } });
    for (const { thread_id = '' } of found) await threads.delete({ params: { thread_id } });
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/**
 * A VS Code for all suites of a file. Each suite opens and closes its own windows, like one user. It starts
 * with the first window.
 */
export class SharedVsCode {
  readonly #options: Pick<HarborWindowOptions, 'settings' | 'dataDir' | 'env'>;
  #first: HarborWindow | undefined;

  constructor(options: Pick<HarborWindowOptions, 'settings' | 'dataDir' | 'env'> = {}) {
    this.#options = options;
  }

  async open(window: Pick<HarborWindowOptions, 'folder' | 'size'> = {}): Promise<HarborWindow> {
    if (this.#first !== undefined) return this.#first.openAnother(window);
    this.#first = await HarborWindow.open({ ...this.#options, ...window });
    return this.#first.closedAlone();
  }

  async close(): Promise<void> {
    await this.#first?.close();
  }
}
