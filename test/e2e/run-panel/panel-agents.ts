import { eventually } from '../../support/wait.ts';
import type { Workbench } from '../../support/workbench/workbench.ts';
import type { HarborWindow } from '../pages/harbor-window.ts';
import { fitsInWidth } from '../pages/in-webview.ts';
import type { RunPanelPage } from '../pages/run-panel-page.ts';

/** The agents that demonstrate a run panel, and the panel that is open in their window. */
export class PanelAgents {
  readonly window: HarborWindow;
  #panel: RunPanelPage | undefined;

  constructor(window: HarborWindow) {
    this.window = window;
  }

  get workbench(): Workbench {
    return this.window.workbench;
  }

  /** The panel that was opened last. */
  get panel(): RunPanelPage {
    if (this.#panel === undefined) throw new Error('No panel was opened yet.');
    return this.#panel;
  }

  /** Opens a panel of a graph, and nothing else. */
  async open(graph: string): Promise<RunPanelPage> {
    await this.workbench.editors.discardAll();
    this.#panel = await this.window.newRunPanel('Deployments', ['panel-agents', graph]);
    return this.#panel;
  }

  /** The state of the newest thread, as the server has it. */
  async newestState() {
    const client = await this.window.agentClient();
    const [thread] = await client.threads.search({
      body: { limit: 1, sort_by: 'created_at', sort_order: 'desc' },
    });
    const thread_id = thread?.thread_id ?? '';
    return client.threads.getState({ params: { thread_id } });
  }

  /** Does something in a window zoomed to twice its size, in which nothing may need to be scrolled sideways. */
  async zoomed(then: () => Promise<void>): Promise<void> {
    await this.workbench.zoomed(async () => {
      const body = this.panel.frame.locator('body');
      await eventually('all of the width', () => body.evaluate(fitsInWidth));
      await then();
      await this.workbench.screenshot('run-zoomed');
    });
  }
}
