import assert from 'node:assert/strict';
import { eventually } from '../../support/wait.ts';
import { look } from '../pages/check-appearance.ts';
import { fitsInWidth } from '../pages/in-webview.ts';
import type { PanelAgents } from './panel-agents.ts';

/** The diagram of a graph. */
export function graphFlows(at: () => PanelAgents): void {
  it('leads from a node to its source, by mouse and by keys', async () => {
    const panel = await at().open('order');
    await panel.turnOn('Show Graph');
    const graph = panel.frame.getByRole('region', { name: 'Graph' });
    await graph.getByRole('button', { name: /^check/ }).focus();
    await at().workbench.page.keyboard.press('ArrowDown');
    await graph.locator('.node[data-id="price_it"]:focus').waitFor();
    await at().workbench.page.keyboard.press('F9');
    await graph.getByRole('button', { name: /^price_it, .*breakpoint before/ }).waitFor();
    await at().workbench.page.keyboard.press('Enter');
    await graph.getByRole('region', { name: 'Node price_it' }).waitFor();
    await at().workbench.page.keyboard.press('F12');
    await at().workbench.editors.waitForText('async function price');
    await at().workbench.editors.closeAll();
  });

  it('draws the paths that a run took, the input and output of its nodes, and its subgraphs', async () => {
    const panel = await at().open('wander');
    await panel.turnOn('Show Graph');
    await panel.json({ topic: 'tides' });
    await panel.button('Run').click();
    await panel.outcome();
    const graph = panel.frame.getByRole('region', { name: 'Graph', exact: true });
    await graph.getByText(/^9×/).waitFor();
    await graph.getByText('2× 67%', { exact: true }).waitFor();
    await graph.getByRole('button', { name: 'never, not run' }).waitFor();
    await graph.getByRole('button', { name: 'work ×9, done' }).click();
    const node = graph.getByRole('region', { name: 'Node work' });
    await node.getByText('tides c').first().waitFor();
    await node.getByText('worked on tides c').first().waitFor();
    await graph.getByRole('combobox', { name: 'Color nodes by' }).selectOption('time');
    await graph.getByRole('button', { name: /^work \d.* ×9, done/ }).waitFor();
    await look(at().workbench, panel.frame, 'graph-observed');
    await graph.getByRole('button', { name: 'Close Node' }).click();
    await graph.getByRole('combobox', { name: 'Color nodes by' }).selectOption('none');
    await graph.getByRole('button', { name: 'Expand Subgraphs' }).click();
    await graph.getByRole('button', { name: 'mark ×3, done' }).waitFor();
    await look(at().workbench, panel.frame, 'graph-unfolded');
    await graph.getByRole('button', { name: 'Collapse Subgraphs' }).click();
    // The thread's history shows this, too.
    await panel.turnOn('Show Thread History');
    const history = panel.frame.getByRole('region', { name: 'History' });
    await history.getByRole('button', { name: /^close/ }).click();
    await panel.frame.getByText('Done').first().waitFor({ state: 'detached' });
    await panel.turnOn('Show Graph');
    await graph.getByText('2× 67%', { exact: true }).waitFor();
    await graph.getByRole('button', { name: 'work', exact: true }).click();
    await node.getByText('worked on tides a').first().waitFor();
  });

  it('stops if a condition on the state is true, and logs at a logpoint', async () => {
    const panel = await at().open('wander');
    await panel.turnOn('Show Graph');
    const graph = panel.frame.getByRole('region', { name: 'Graph', exact: true });
    await graph.getByRole('button', { name: 'plan', exact: true }).click();
    const node = graph.getByRole('region', { name: 'Node plan' });
    await node.getByRole('checkbox', { name: 'Before the node' }).check();
    const condition = node.getByRole('textbox', { name: 'Condition' });
    const { keyboard } = at().workbench.page;
    await condition.fill('state.round = 2');
    await keyboard.press('Tab');
    await node.getByText(/Unexpected/).waitFor();
    await condition.fill('has(state.round) && state.round == 2');
    await keyboard.press('Tab');
    await node.getByText(/Unexpected/).waitFor({ state: 'detached' });
    await panel.json({ topic: 'tides' });
    await panel.button('Run').click();
    await panel.frame.getByText('Paused before “plan”').first().waitFor();
    assert.equal(await panel.outcome(), 'Paused');
    await graph
      .getByRole('button', { name: /^plan ×2, paused before, conditional breakpoint before/ })
      .waitFor();
    await node.getByText('Next input').waitFor();
    await look(at().workbench, panel.frame, 'graph-condition');
    await condition.fill('');
    await node.getByRole('textbox', { name: 'Log message (don’t stop)' }).fill('round {state.round}');
    await keyboard.press('Tab');
    await panel.button('Continue').click();
    // The run has already stopped before the node, and does not reach it again.
    await panel.outcome(2);
    await panel.json({ topic: 'wind', round: 1 });
    // The node's details have Run This Node.
    await panel.frame.getByRole('button', { name: 'Run', exact: true }).click();
    await panel.frame.getByText('Logpoint at plan').first().waitFor();
    await panel.frame.getByText('round 2').first().waitFor();
    await panel.outcome(3);
    await look(at().workbench, panel.frame, 'graph-logpoint');
  });

  it('draws fifty nodes, large enough to be read', async () => {
    const panel = await at().open('wide');
    await panel.turnOn('Show Graph');
    const graph = panel.frame.getByRole('region', { name: 'Graph' });
    await graph.getByRole('button', { name: 'stage_10_e', exact: true }).waitFor();
    assert.equal(await graph.locator('.node').count(), 50);
    // Graphs that do not fit are scrolled, because they are readable only down to half their size.
    const isReadable = async () =>
      ((await graph.locator('.node rect').first().boundingBox())?.height ?? 0) >= 16;
    await eventually('nodes that can be read', isReadable);
    await graph.getByRole('button', { name: 'Show Graph Only' }).click();
    await graph.getByRole('button', { name: 'Zoom In' }).click();
    await look(at().workbench, panel.frame, 'graph-wide');
    await graph.getByRole('button', { name: 'Zoom to Fit' }).click();
    await graph.getByRole('button', { name: 'Show Output Beside Graph' }).click();
  });

  it('fits into a narrow column', async () => {
    const { panel } = at();
    await at().workbench.narrow(async () => {
      await look(at().workbench, panel.frame, 'run-narrow');
      await eventually('nothing to be scrolled sideways', () =>
        panel.frame.locator('body').evaluate(fitsInWidth),
      );
    });
    await at().zoomed(async () => {
      // All of these nodes together would be too small to read there.
      const name = panel.frame.locator('.node text', { hasText: 'stage_10_e' });
      await eventually(
        'names that can be read',
        () => name.boundingBox(),
        (box) => (box?.height ?? 0) > 5,
      );
    });
  });
}
