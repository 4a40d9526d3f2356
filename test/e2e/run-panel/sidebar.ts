import assert from 'node:assert/strict';
import type { PanelAgents } from './panel-agents.ts';

/** Ways to open the panel. */
export function sidebarFlows(at: () => PanelAgents): void {
  it('has a row for each graph, in the order of langgraph.json', async () => {
    const assistants = await at().workbench.view('Assistants');
    const graphs = ['order', 'ask', 'book', 'burst', 'hostile', 'picture', 'sink', 'wander', 'wide'];
    await assistants.waitForText(graphs.map((graph) => `▸ ${graph} · default · version 1`).join('\n'));
  });

  it('opens from the rows of a narrow sidebar, which keep their names and their actions', async () => {
    await at().workbench.sideBarWidth(200);
    const deployments = await at().workbench.view('Deployments');
    await at().open('burst');
    const bar = await at().workbench.page.locator('.part.sidebar').boundingBox();
    assert.ok(bar !== null && bar.width < 220, `the sidebar is narrow: ${bar?.width} px`);
    const name = (await deployments.row(['panel-agents', 'burst'])).locator('.label-name');
    assert.ok(((await name.boundingBox())?.width ?? 0) > 20, 'the name of a row can be read');
    await at().workbench.screenshot('views-narrow');
    await at().workbench.sideBarWidth(300);
  });
}
