import assert from 'node:assert/strict';
import { eventually } from '../../support/wait.ts';
import type { Place } from './place.ts';

/** VS Code's own log line when a save is refused, which happens here on purpose. */
export const REFUSED_SAVE = /brief\.json.*“context\.max_passages” does not match/s;

/** Actions on assistants, which leave no assistants behind. */
export function assistantFlows(at: () => Place): void {
  const named = () => at().client.assistants.search({ body: { name: 'brief' } });

  /** Deletes the assistants of an earlier attempt. */
  async function forget(): Promise<void> {
    await at().workbench.editors.discardAll();
    for (const { assistant_id = '' } of await named())
      await at().client.assistants.delete({ params: { assistant_id } });
  }

  /** Moves the focus to the document, and waits until it arrives; earlier keys would go elsewhere. */
  async function focusEditor(): Promise<void> {
    const { workbench } = at();
    await workbench.runCommand('View: Focus Active Editor Group');
    await workbench.page.locator('.part.editor .monaco-editor.focused').waitFor();
  }

  /** Puts the assistant into the state in which the first flow leaves it. */
  async function haveFirstVersion(): Promise<void> {
    if (/▸ brief · version 1$/m.test(await at().assistants.text())) return;
    await forget();
    const body = { graph_id: 'docs_agent', name: 'brief', context: { max_passages: 1 } };
    await at().client.assistants.create({ body });
    await at().look(at().assistants);
    await at().assistants.waitForText(/▸ brief · version 1$/m);
  }

  it('creates an assistant in a JSON document that the schema of the graph completes and checks', async () => {
    const { workbench } = at();
    const { page } = workbench;
    await forget();
    await at().assistants.titleAction('New Assistant');
    await at().answerBox('New Assistant for docs_agent', 'brief');
    await at().workbench.editors.waitForText('"name": "brief"');
    await eventually('the cursor in the context', async () =>
      (await workbench.statusBar()).some((text) => text.includes('Ln 5, Col 15')),
    );
    await focusEditor();
    await page.keyboard.press('Control+Space');
    await eventually('a suggestion of the context schema', async () =>
      (await page.locator('.suggest-widget .monaco-list-row').allInnerTexts()).some((text) =>
        text.includes('max_passages'),
      ),
    );
    await workbench.screenshot('assistant');
    assert.equal(
      (await at().assistants.text()).includes('brief'),
      false,
      'nothing is sent before it is saved',
    );

    await page.keyboard.press('Escape');
    await page.keyboard.insertText('"max_passages": "one"');
    await eventually('what the schema finds wrong', async () =>
      (await workbench.statusBar()).some((text) => /^1 0$|Warnings: 1|^0 1$/.test(text)),
    );
    await page.keyboard.press('Control+S');
    await workbench.notifications.waitFor(/“context\.max_passages” does not match the context schema/);
    await workbench.notifications.dismissAll();
    assert.deepEqual(await named(), [], 'nothing is made of a context that is not valid');
    await focusEditor();
    for (let n = 0; n < '"one"'.length; n++) await page.keyboard.press('Backspace');
    await page.keyboard.type('1');
    const lens = page.locator('.codelens-decoration', { hasText: 'Save to Create Assistant' });
    await lens.waitFor();
    await page.keyboard.press('Control+S');
    await workbench.waitForStatus('Saved brief as version 1.');
    await at().assistants.waitForText(/▸ brief · version 1$/m);
    await lens.waitFor({ state: 'detached' });
    const made = await named();
    assert.deepEqual(made[0]?.context, { max_passages: 1 });
    await workbench.editors.closeAll();
  });

  it('creates a new version when the document is saved again, and activates an older one', async () => {
    const { workbench } = at();
    const { page } = workbench;
    await haveFirstVersion();
    await at().assistants.inlineAction(['docs_agent', 'brief'], 'Edit Assistant');
    await at().workbench.editors.waitForText('"max_passages": 1');
    await focusEditor();
    await page.keyboard.press('Control+A');
    // Inserted at once, because suggestions would change what is typed.
    await page.keyboard.insertText(
      '{"name": "brief", "description": "In a word", "context": {"max_passages": 2}}',
    );
    // Deletes the brackets with which the editor closed open ones by itself.
    await page.keyboard.press('Control+Shift+End');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Control+S');
    await at().assistants.waitForText(/▸ brief · version 2$/m);
    await at().assistants.expand(['docs_agent', 'brief']);
    await at().assistants.waitForText(/ {4}- Version 2 · active · [^\n]*\n {4}- Version 1 · (?!active)/);
    await at().assistants.inlineAction(['docs_agent', 'brief', 'Version 1'], 'Make Active');
    await at().assistants.waitForText(
      / {2}▾ brief · version 1\n {4}- Version 2 · (?!active)[^\n]*\n {4}- Version 1 · active/,
    );
    await workbench.editors.closeAll();
    await at().assistants.click(['docs_agent', 'brief', 'Version 2']);
    await at().workbench.editors.waitForText('"description": "In a word"');
    await workbench.editors.closeAll();
  });

  it('deletes an assistant after confirmation, and never the default one', async () => {
    const { workbench } = at();
    if ((await named()).length === 0) await haveFirstVersion();
    assert.ok(
      !(await at().assistants.contextMenu(['docs_agent', 'docs_agent'])).some((item) => /^Delete/.test(item)),
    );
    await at().assistants.contextMenuItem(['docs_agent', 'brief'], 'Delete Assistant…');
    await workbench.dialog.waitFor('Delete the assistant “brief”?');
    await workbench.dialog.press('Cancel');
    assert.equal((await named()).length, 1);
    await at().assistants.contextMenuItem(['docs_agent', 'brief'], 'Delete Assistant…');
    await workbench.dialog.press('Delete');
    await at().assistants.waitForText(/^▸ docs_agent · default · version 1$/);
  });
}
