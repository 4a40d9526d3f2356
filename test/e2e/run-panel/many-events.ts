import assert from 'node:assert/strict';
import { framesSoFar, watchFrames } from '../pages/in-webview.ts';
import type { PanelAgents } from './panel-agents.ts';

/** Runs with very many events. */
export function manyEventsFlows(at: () => PanelAgents): void {
  it('shows thousands of events, with only the visible ones in the document', async () => {
    const panel = await at().open('burst');
    await panel.json({ events: 5000 });
    await panel.frame.locator('body').evaluate(watchFrames);
    const started = performance.now();
    await panel.button('Run').click();
    assert.equal(await panel.outcome(), 'Done');
    const took = Math.round(performance.now() - started);
    const { frames, longest } = await panel.frame.locator('body').evaluate(framesSoFar);
    console.log(`      5,000 events in ${took} ms: ${frames} frames, the longest ${Math.round(longest)} ms`);
    assert.ok((await panel.frame.locator('.row').count()) < 100, 'only rows in sight are in the document');
    const timeline = panel.frame.getByRole('log', { name: 'Output' });
    await timeline.focus();
    await at().workbench.page.keyboard.press('Home');
    await timeline.getByText('event number 1 of 5000').first().waitFor();
    await at().workbench.page.keyboard.press('End');
    await timeline.getByText('done: 5000').last().waitFor();
  });
}
