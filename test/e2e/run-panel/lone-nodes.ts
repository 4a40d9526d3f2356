import assert from 'node:assert/strict';
import { eventually } from '../../support/wait.ts';
import { look } from '../pages/check-appearance.ts';
import { TracePanelPage } from '../pages/trace-panel-page.ts';
import type { PanelAgents } from './panel-agents.ts';

/** Single nodes, runs from a step, and the history of a value. */
export function loneNodeFlows(at: () => PanelAgents): void {
  const history = () => at().panel.frame.getByRole('region', { name: 'History' });
  const step = (name: RegExp) => history().getByRole('listitem').filter({ hasText: name });

  /** Runs a graph with subgraphs, Send and Command, and shows its history. */
  async function ran(): Promise<void> {
    const panel = await at().open('wander');
    await panel.json({ topic: 'tides' });
    await panel.button('Run').click();
    await panel.outcome();
    await panel.turnOn('Show Thread History');
    await step(/^close/)
      .first()
      .waitFor();
  }

  it('runs a node invoked with Send alone, with another input, and keeps its result', async () => {
    const { workbench } = at();
    const { editors, page, quickInput } = workbench;
    await ran();
    await step(/^work ×3step 2 /).hover();
    await look(workbench, at().panel.frame, 'history-actions');
    await step(/^work ×3step 2 /)
      .getByRole('button', { name: 'Run This Node: Step 2' })
      .click();
    await quickInput.waitFor('Run This Node');
    await workbench.screenshot('run-node-pick');
    await quickInput.type('tides b');
    await quickInput.accept();
    await editors.waitForText('"topic": "tides b"');
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('{ "topic": "moons" }');
    await page.locator('.codelens-decoration').getByText('Run This Node').waitFor();
    await workbench.screenshot('run-node-input');
    await page.locator('.codelens-decoration').getByText('Run This Node').click();
    await eventually(
      'its result',
      () => editors.tabs(),
      (tabs) => tabs.some((tab) => tab.startsWith('work: recorded ↔ now')),
    );
    await editors.waitForText('worked on moons');
    await workbench.screenshotInThemes('run-node-result');
    const before = await at().newestState();
    assert.doesNotMatch(JSON.stringify(before.values), /moons/, 'nothing was written');
    await editors.titleAction('Keep Result');
    const kept = /^Result of work saved to the thread, which is paused before review/;
    await workbench.notifications.waitFor(kept);
    const { values, next } = await at().newestState();
    assert.deepEqual(next, ['review']);
    assert.match(JSON.stringify(values), /worked on moons.*worked on tides [ac].*worked on tides [ac]/);
    await workbench.notifications.press(kept, 'Continue');
    await eventually(
      'the thread to continue after the kept result',
      () => at().newestState(),
      (state) => state.next.length === 0 && JSON.stringify(state.values).includes('worked on moons'),
    );
    await workbench.dismissAll();
    await editors.discardAll();
  });

  it('runs a node of a subgraph alone from its span, with what its thread recorded', async () => {
    const { workbench } = at();
    const { editors, page } = workbench;
    const panel = await at().open('wander');
    await panel.json({ topic: 'tides' });
    await panel.button('Run').click();
    await panel.outcome();
    await panel.button('Show Trace').click();
    const trace = new TracePanelPage(page, await workbench.webview('Trace: tides'));
    await trace.select('mark');
    const run = trace.details.getByRole('button', { name: 'Run This Node' });
    await run.waitFor();
    await look(workbench, trace.frame, 'trace-run-node');
    await run.click();
    await editors.waitForText('"sorted"');
    await page.locator('.codelens-decoration').getByText('Run This Node').click();
    await eventually(
      'its result',
      () => editors.tabs(),
      (tabs) => tabs.some((tab) => tab.startsWith('mark: recorded ↔ now')),
    );
    await editors.waitForText('"marked"');
    await workbench.screenshot('trace-run-node-result');
    await editors.discardAll();
  });

  it('runs nodes and steps from the diagram and from the rows of threads', async () => {
    const { window, workbench } = at();
    const { editors } = workbench;
    await window.deleteThreads();
    const panel = await at().open('book');
    await panel.json({ city: 'Genoa' });
    await panel.button('Run').click();
    await panel.question.waitFor();
    await panel.turnOn('Show Graph');
    const graph = panel.frame.getByRole('region', { name: 'Graph', exact: true });
    await graph.getByRole('button', { name: /^ask/ }).click();
    await graph.getByRole('button', { name: 'Run This Node' }).click();
    await editors.waitForText('"city": "Genoa"');
    await workbench.page.locator('.codelens-decoration').getByText('Run This Node').click();
    await editors.waitForText('"action": "book_hotel"');
    await workbench.screenshot('run-node-interrupted');
    await editors.discardAll();

    const threads = await workbench.view('Threads');
    const waiting = ['Waiting', 'Genoa'];
    await threads.expand(waiting);
    await threads.contextMenuItem([...waiting, 'start'], 'Run This Node');
    await editors.waitForText('"city": "Genoa"');
    await editors.discardAll();
    await threads.contextMenuItem([...waiting, 'start'], 'Run from Here');
    const { checkpoint } = await at().newestState();
    const client = await window.agentClient();
    await eventually(
      'another run',
      () => client.runs.list({ params: { thread_id: checkpoint.thread_id ?? '' }, query: {} }),
      (runs) => runs.length === 2 && runs.every(({ status }) => status === 'success'),
    );
    await editors.discardAll();
  });

  it('runs from a step as a branch, compares both, and shows which node wrote a value', async () => {
    const { workbench } = at();
    await ran();
    await step(/^reviewstep 9 /)
      .getByRole('button', { name: /^Run from Here/ })
      .click();
    await eventually(
      'two branches',
      () => step(/^close/).count(),
      (count) => count === 2,
    );
    const aside = step(/^close.*on another branch/);
    await aside.waitFor();
    await look(workbench, at().panel.frame, 'history-branches');
    await aside.getByRole('button', { name: /^Compare/ }).click();
    await eventually(
      'the comparison',
      () => workbench.editors.tabs(),
      (tabs) => tabs.some((tab) => tab.startsWith('Step 10 ↔ Step 11')),
    );
    await workbench.editors.waitForText('"round": 3');
    await workbench.screenshot('history-compared');
    await workbench.editors.show('wander');

    // It was not visible.
    const { frame } = await at().window.runPanel('wander');
    const side = frame.getByRole('region', { name: 'History' });
    const shown = side.getByRole('combobox', { name: 'Show' });
    await shown.selectOption('Changes to round');
    const values = side.getByRole('list', { name: 'Values of round, newest first' });
    await values.getByRole('listitem').nth(2).waitFor();
    assert.deepEqual(
      (await values.getByRole('listitem').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim()),
      ['plan step 7 · replaced 3', 'plan step 4 · replaced 2', 'plan step 1 · replaced 1'],
    );
    await shown.selectOption('Changes to steps');
    await side.getByText('combined by a reducer').first().waitFor();
    await look(workbench, frame, 'value-history');
    await workbench.editors.discardAll();
  });
}
