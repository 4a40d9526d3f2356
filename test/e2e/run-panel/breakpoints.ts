import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { eventually } from '../../support/wait.ts';
import { look } from '../pages/check-appearance.ts';
import { focusedName } from '../pages/in-webview.ts';
import type { RunPanelPage } from '../pages/run-panel-page.ts';
import type { PanelAgents } from './panel-agents.ts';

/** Stops of a run, actions at a stop, and the resulting turns. */
export function breakpointFlows(at: () => PanelAgents): void {
  /** A panel with a completed order. */
  async function ordered(): Promise<RunPanelPage> {
    const opened = await at().open('order');
    await opened.json({ customer: 'Ada', speed: 'express', crates: [{ label: 'figs', weight: 2.5 }] });
    await opened.button('Run').click();
    await opened.outcome();
    return opened;
  }

  /** Shows the graph of a completed order, and stops the next one before it is sent. */
  async function breakBeforePlane(orders: RunPanelPage): Promise<Locator> {
    await orders.turnOn('Show Graph');
    const graph = orders.frame.getByRole('region', { name: 'Graph' });
    await graph.getByRole('button', { name: /^plane, done/ }).waitFor();
    await orders.button('Options').click();
    await orders.frame.getByRole('checkbox', { name: 'Stop before plane' }).check();
    return graph;
  }

  /** The panel that the previous test left, with an order that has stopped; on a retry, one like it. */
  async function stopped(): Promise<RunPanelPage> {
    const { panel } = at();
    if (await panel.frame.getByText('Paused before “plane”').first().isVisible()) return panel;
    const opened = await ordered();
    await breakBeforePlane(opened);
    await opened.button('Options').click();
    await opened.button('Run').click();
    await opened.frame.getByText('Paused before “plane”').first().waitFor();
    return opened;
  }

  it('continues to the next node with F10, and to the end with F5', async () => {
    const { page } = at().workbench;
    const panel = await ordered();
    await panel.button('Options').click();
    const stop = panel.frame.getByRole('checkbox', { name: 'Stop before price_it' });
    await stop.check();
    // Escape closes the options, and the focus is where they were opened.
    await page.keyboard.press('Escape');
    await stop.waitFor({ state: 'hidden' });
    assert.match(await panel.frame.locator('body').evaluate(focusedName), /^Options/);
    await panel.button('Run').click();
    assert.equal(await panel.outcome(2), 'Paused');
    await page.keyboard.press('F10');
    await panel.frame.getByText('Paused before “plane”').first().waitFor();
    await page.keyboard.press('F5');
    assert.match(await panel.outcome(4), /^Done/);
  });

  it('draws the graph, highlights running nodes, and stops at breakpoints', async () => {
    // An earlier attempt has left another run in it.
    const panel = (await at().panel.ended()) === 1 ? at().panel : await ordered();
    const graph = await breakBeforePlane(panel);
    assert.equal(await graph.locator('.edge.conditional').count(), 2);
    await look(at().workbench, panel.frame, 'run-options');
    await panel.button('Options').click();
    await panel.button('Run').click();
    await graph.getByRole('button', { name: /^check, running/ }).waitFor();
    await at().workbench.screenshot('graph-lit');
    assert.equal(await panel.outcome(2), 'Paused');
    await panel.frame.getByText('Paused before “plane”').waitFor();
    await graph.getByRole('button', { name: 'price_it, done' }).waitFor();
    await look(at().workbench, panel.frame, 'run-breakpoint');
    assert.deepEqual((await at().newestState()).next, ['plane']);
  });

  it('edits the state, refuses invalid JSON with a sentence, and continues', async () => {
    const panel = await stopped();
    await panel.button('Edit State…').click();
    const editor = panel.frame.getByRole('region', { name: 'Edit State' });
    const text = editor.getByRole('textbox', { name: 'State as JSON' });
    const state = await text.inputValue();
    await text.fill('{"log": }');
    await editor.getByRole('button', { name: 'Save', exact: true }).click();
    await editor.getByText('A value is missing before the “}”.').waitFor();
    await text.fill(JSON.stringify({ ...JSON.parse(state), log: ['edited by hand'] }, undefined, 2));
    await look(at().workbench, panel.frame, 'run-edit-state');
    await at().zoomed(async () => {
      for (const name of ['Save', 'Cancel'])
        assert.ok(
          await inSight(panel, editor.getByRole('button', { name, exact: true })),
          `${name} is in sight`,
        );
    });
    await editor.getByRole('button', { name: 'Save and Continue' }).click();
    await eventually(
      'the run to continue with the edited log',
      async () => (await at().newestState()).values,
      (values) => JSON.stringify(values).includes('["edited by hand","sent by plane"]'),
      30_000,
    );
    await panel.outcome(1);
  });

  it('keeps the turns of the thread, goes back to one, and forks from there', async () => {
    const { panel } = at();
    await panel.turnOn('Show Thread History');
    const history = panel.frame.getByRole('region', { name: 'History' });
    await history.getByRole('button', { name: /^Edited/ }).waitFor();
    await history
      .getByRole('button', { name: /^check.*next: price_it/ })
      .first()
      .click();
    await panel.frame.getByText('You are viewing an earlier state.').waitFor();
    await panel.frame.getByText('Next: price_it', { exact: true }).waitFor();
    await look(at().workbench, panel.frame, 'run-history');
    const before = await at().newestState();
    await panel.button('Continue').click();
    await panel.frame.getByText('Paused before “plane”').first().waitFor();
    await eventually(
      'another state, before plane',
      () => at().newestState(),
      ({ checkpoint, next }) =>
        checkpoint.checkpoint_id !== before.checkpoint.checkpoint_id && next.join() === 'plane',
    );
    await history.locator('.turn.aside').first().waitFor();
  });

  it('stops at the limit of supersteps that is set under Advanced', async () => {
    const panel = await at().open('order');
    await panel.json({ customer: 'Ada', speed: 'express', crates: [{ label: 'figs', weight: 2.5 }] });
    await panel.button('Options').click();
    const limit = panel.frame.getByRole('textbox', { name: 'recursion_limit' });
    assert.equal(await limit.isVisible(), false);
    await panel.frame.getByText('Advanced', { exact: true }).click();
    await limit.fill('1');
    await at().workbench.page.keyboard.press('Escape');
    await panel.button('Run').click();
    await panel.frame
      .getByText(/Recursion limit of 1 reached/)
      .first()
      .waitFor();
  });
}

async function inSight({ frame }: RunPanelPage, button: Locator): Promise<boolean> {
  const inside = frame.locator('html');
  const [box, all] = [await button.boundingBox(), await inside.boundingBox()];
  return box !== null && all !== null && box.y + box.height <= all.y + all.height;
}
