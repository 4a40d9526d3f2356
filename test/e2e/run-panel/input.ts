import assert from 'node:assert/strict';
import { look } from '../pages/check-appearance.ts';
import type { PanelAgents } from './panel-agents.ts';

/** Ways to enter the input of a run. */
export function inputFlows(at: () => PanelAgents): void {
  it("takes its input in a form made from the graph's schema, and says what is wrong with it", async () => {
    const panel = await at().open('order');
    const { frame } = panel;
    await frame.getByRole('button', { name: 'Form', pressed: true }).waitFor();
    await frame.getByLabel('customer').fill('Ada');
    await frame.getByLabel('speed').selectOption({ label: 'express' });
    const crates = frame.getByRole('group', { name: /^crates/ });
    await crates.getByRole('button', { name: 'Add Item' }).click();
    await crates.getByLabel('label').fill('figs');
    await crates.getByLabel('weight').fill('much');
    await panel.button('Run').click();
    await frame.getByText('Fix the highlighted field.').waitFor();
    await frame.getByText('“much” is not a number.').waitFor();
    await at().workbench.screenshot('run-form-invalid');
    await crates.getByLabel('weight').fill('2.5');
    await frame.getByLabel('city').fill('Genoa');
    await look(at().workbench, panel.frame, 'run-form');
    await panel.button('Run').click();
    assert.equal(await panel.outcome(), 'Done');
    const { values } = await at().newestState();
    assert.deepEqual(values, {
      customer: 'Ada',
      speed: 'express',
      crates: [{ label: 'figs', weight: 2.5 }],
      address: { city: 'Genoa' },
      price: 20,
      log: ['checked Ada', 'priced', 'sent by plane'],
    });
  });

  it('carries the values of a form over to JSON', async () => {
    const { panel } = at();
    await panel.button('JSON').click();
    const input = panel.frame.getByRole('textbox', { name: 'Input as JSON' });
    assert.equal(JSON.parse(await input.inputValue()).customer, 'Ada');
    await panel.button('Form').click();
    assert.equal(await panel.frame.getByLabel('customer').inputValue(), 'Ada');
  });
}
