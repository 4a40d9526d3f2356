import assert from 'node:assert/strict';
import { patience } from '../../support/wait.ts';
import { look } from '../pages/check-appearance.ts';
import type { PanelAgents } from './panel-agents.ts';

/** The rows of a failed run. */
export function errorFlows(at: () => PanelAgents): void {
  it("shows an error's stack, which leads into the source", async () => {
    const panel = await at().open('sink');
    await panel.json({ depth: 7 });
    await panel.button('Run').click();
    assert.equal(await panel.outcome(), 'Failed');
    await panel.frame.getByText('The ship has sunk at 7 fathoms.').first().waitFor();
    const line = panel.frame.getByRole('button', { name: /sink\.mjs:5/ }).first();
    await line.waitFor({ timeout: 15_000 * patience });
    await look(at().workbench, panel.frame, 'run-error');
    await line.click();
    await at().workbench.editors.waitForText('throw new RangeError');
  });

  it('says in sentences what does not fit the schema', async () => {
    const panel = await at().open('order');
    await panel.json({ customer: 'Ada' });
    await panel.button('Run').click();
    assert.equal(await panel.outcome(), 'Failed');
    await panel.frame.getByText('crates is required (array)').waitFor();
  });
}
