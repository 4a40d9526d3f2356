import assert from 'node:assert/strict';
import { look } from '../pages/check-appearance.ts';
import { dangersIn, seeEverything } from '../pages/in-webview.ts';
import { TracePanelPage } from '../pages/trace-panel-page.ts';
import type { PanelAgents } from './panel-agents.ts';

/** Runs with hostile output. */
export function hostileOutputFlows(at: () => PanelAgents): void {
  it('shows hostile output as text: nothing runs, nothing loads, nothing is lost', async () => {
    const asked: string[] = [];
    at().workbench.page.on('request', (request) => asked.push(request.url()));
    const panel = await at().open('hostile');
    await panel.send('Do your worst.');
    assert.equal(await panel.outcome(), 'Done');
    await panel.frame.getByText('The end.', { exact: true }).waitFor();
    await seeEverything(panel.frame.getByRole('log', { name: 'Output' }));
    assert.deepEqual(await dangersIn(panel.frame), []);
    await look(at().workbench, panel.frame, 'run-hostile');
    await panel.send('And again.');
    assert.equal(await panel.outcome(2), 'Done');

    await panel.button('Show Trace').click();
    const trace = new TracePanelPage(at().workbench.page, await at().workbench.webview('Trace: And again.'));
    await trace.select('answer');
    await trace.part('Output').getByText('The end.').waitFor();
    await seeEverything(trace.details.locator('.body'));
    await trace.part('Output').getByRole('button', { name: 'JSON' }).click();
    await trace.part('Output').getByText('messages:').waitFor();
    assert.deepEqual(await dangersIn(trace.frame), []);
    await look(at().workbench, trace.frame, 'trace-hostile');
    assert.deepEqual(
      asked.filter((url) => url.includes('evil.example')),
      [],
    );
  });
}
