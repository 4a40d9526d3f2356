import assert from 'node:assert/strict';
import { patience } from '../../support/wait.ts';
import { look } from '../pages/check-appearance.ts';
import { focusedName } from '../pages/in-webview.ts';
import type { PanelAgents } from './panel-agents.ts';

/** Questions of a run, and how they are answered. */
export function interruptFlows(at: () => PanelAgents): void {
  it('asks in a form made from the schema of the answer', async () => {
    const panel = await at().open('ask');
    await panel.json({ who: 'Bo' });
    await panel.button('Run').click();
    await panel.question.waitFor({ timeout: 30_000 * patience });
    await panel.question.getByRole('button', { name: 'Resume' }).click();
    await panel.question.getByText('Required', { exact: true }).nth(1).waitFor();
    await panel.question.getByLabel('Days of leave').fill('3');
    await panel.question.getByLabel('Reason').fill('Sailing');
    await look(at().workbench, panel.frame, 'run-ask-form');
    await panel.question.getByRole('button', { name: 'Resume' }).click();
    await panel.outcome(2);
    assert.deepEqual((await at().newestState()).values, {
      who: 'Bo',
      leave: { days: 3, reason: 'Sailing', paid: true },
    });
  });

  it('shows a tool that an agent asks to use, whose arguments are edited in a form', async () => {
    const panel = await at().open('book');
    await panel.json({ city: 'Genoa' });
    await panel.button('Run').click();
    const { question } = panel;
    await question.getByText('The agent wants to use book_hotel').waitFor({ timeout: 30_000 * patience });
    for (const name of ['Accept', 'Edit…', 'Respond…', 'Ignore'])
      await question.getByRole('button', { name, exact: true }).waitFor();
    await look(at().workbench, panel.frame, 'run-tool-asked');
    // Tab moves through all controls in their visual order.
    await panel.toggle('Show Steps and Events').focus();
    const order = ['Output', 'Accept', 'Edit…', 'Respond…', 'Ignore', 'Input as JSON'];
    const named: string[] = [];
    while (named.length < 40 && named.at(-1) !== 'Options') {
      await at().workbench.page.keyboard.press('Tab');
      named.push(await panel.frame.locator('body').evaluate(focusedName));
    }
    assert.deepEqual(
      named.filter((name) => order.includes(name)),
      order,
    );
    await question.getByRole('button', { name: 'Respond…' }).click();
    await question.getByLabel('Response').waitFor();
    await at().workbench.page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Edit…' }).click();
    await question.getByLabel('nights').fill('many');
    await question.getByRole('button', { name: 'Resume with Changes' }).click();
    await question.getByText('“many” is not a number.').waitFor();
    await look(at().workbench, panel.frame, 'run-tool-edited');
    await question.getByLabel('nights').fill('3');
    await question.getByRole('button', { name: 'Resume with Changes' }).click();
    assert.equal(await panel.outcome(2), 'Done');
    assert.deepEqual((await at().newestState()).values, {
      city: 'Genoa',
      answer: {
        type: 'edit',
        args: { action: 'book_hotel', args: { city: 'Genoa', nights: 3, quiet: true, guest: null } },
      },
      log: ['asked', 'booked'],
    });
  });
}
