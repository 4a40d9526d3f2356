import assert from 'node:assert/strict';
import { eventually, patience } from '../../support/wait.ts';
import type { PanelAgents } from './panel-agents.ts';

/** States as documents of the editor. */
export function stateDocumentFlows(at: () => PanelAgents): void {
  it('edits a state in a JSON document, which marks an error, and then writes it as a node', async () => {
    const { editors, page } = at().workbench;
    let panel = await at().open('book');
    await panel.json({ city: 'Genoa' });
    await panel.button('Run').click();
    await panel.question
      .getByRole('button', { name: 'Accept', exact: true })
      .click({ timeout: 30_000 * patience });
    await panel.outcome(2);
    await panel.button('Edit State').click();
    await panel.button('Open in Editor').click();
    const text = await eventually(
      'the state as a document',
      () => editors.text(),
      (shown) => shown.includes('"as_node": null'),
    );
    const lineOf = (part: string) => text.split('\n').findIndex((line) => line.includes(part)) + 1;
    await editors.goTo(lineOf('"asked"'));
    await page.keyboard.press('Control+Shift+K');
    const writeAs = async (node: string): Promise<void> => {
      await editors.goTo(lineOf('"as_node"'));
      await page.keyboard.press('Shift+End');
      await page.keyboard.type(`  "as_node": "${node}",`);
      await at().workbench.runCommand('File: Save');
    };
    await writeAs('nobody');
    await at().workbench.notifications.waitFor(/Failed to save/);
    await at().workbench.dismissAll();
    await page.locator('.squiggly-error').first().waitFor();
    await at().workbench.screenshot('state-document-refused');
    await writeAs('ask');
    const { values, next } = await eventually(
      'the state to be written',
      () => at().newestState(),
      ({ next }) => next.includes('book'),
    );
    assert.deepEqual(next, ['book']);
    // The edit left only `booked`, which the reducer appended to the log.
    assert.match(JSON.stringify(values), /"log":\["asked","booked","booked"\]/);
    await eventually(
      'what it has become to be shown',
      () => editors.text(),
      (text) => /"asked",\s+"booked",\s+"booked"/.test(text),
    );
    await at().workbench.screenshot('state-document');
    await editors.show('book');
    panel = await at().window.runPanel('book');
    const shown = panel.frame.getByRole('article', { name: 'State' }).last();
    await shown.filter({ hasText: /0: asked\s*1: booked\s*2: booked/ }).waitFor();
    await editors.closeAll();
  });
}
