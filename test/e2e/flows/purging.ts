import assert from 'node:assert/strict';
import { eventually } from '../../support/wait.ts';
import { chooseMenuItem } from '../../support/workbench/menu.ts';
import type { Place } from './place.ts';

/** Purges the traces of two runs, one of which is ada's. */
export function purgingFlows(at: () => Place): void {
  /** Begins a purge, up to the question for the project's name. */
  async function purgeTraceOf(user: string): Promise<void> {
    const { quickInput } = at().workbench;
    await at().traces.contextMenuItem(['docs-agent'], 'Purge Traces…');
    await quickInput.pick('Traces with metadata…');
    await at().answerBox('Purge Traces with Metadata', `user=${user}`);
    await quickInput.pick('Purge 1 trace…');
  }

  it('shows a preview first, and deletes nothing when canceled at any step', async () => {
    const { workbench } = at();
    const { quickInput } = workbench;
    await at().haveTwoConversations();
    const before = await at().traceCount();
    await at().traces.contextMenuItem(['docs-agent'], 'Purge Traces…');
    await quickInput.waitFor('Select the traces of docs-agent to purge');
    await quickInput.pick('Traces with metadata…');
    await at().answerBox('Purge Traces with Metadata', 'user=ada user_id=nobody');
    const { items } = await quickInput.waitFor('Purge Traces (1/2): Preview');
    assert.equal(items[0]?.label, 'Purge 1 trace…');
    assert.equal(items[0]?.description, 'user=ada user_id=nobody · docs-agent');
    assert.match(items[0]?.detail ?? '', /^\d+ spans? · 0 feedback entries · [\d.]+ (KB|bytes)$/);
    assert.equal(items.at(-1)?.label, 'What is a thread?');
    await workbench.screenshot('purge-preview');
    await quickInput.cancel();

    await purgeTraceOf('ada');
    await quickInput.waitFor(/^Purge Traces \(2\/2\)/);
    await quickInput.type('docs-age');
    await quickInput.accept();
    await eventually(
      'what is wrong with it',
      () => quickInput.state(),
      (state) => state?.message === 'The name does not match docs-agent.',
    );
    await workbench.screenshot('purge-confirm');
    await quickInput.cancel();
    assert.equal(await at().traceCount(), before);
  });

  it('permanently purges the traces, and verifies it', async () => {
    const { workbench } = at();
    await at().haveTwoConversations();
    const before = await at().traceCount();
    await purgeTraceOf('ada');
    await at().answerBox(/^Purge Traces \(2\/2\): Confirm 1 trace/, 'docs-agent');
    const purged = 'Purged 1 trace. Verified: no data remains.';
    await workbench.notifications.waitFor(purged, 30_000);
    assert.equal(await at().traceCount(), before - 1);
    await at().showsTraces(before - 1);
    // The thread keeps its messages; the button shows this thread alone.
    await workbench.notifications.press(purged, 'Show Threads');
    await at().threads.waitForMessage('Filter: threads of purged traces');
    await at().threads.waitForText(/^▾ Idle · 1\n {2}▸ [^\n]+$/);
    await at().threads.titleAction('Clear Filter');
    await at().threads.waitForText(/^▾ Idle · [2-9]/);
    const [job] = await at().client.purging.listJobs();
    assert.deepEqual([job?.kind, job?.status, job?.deleted], ['metadata', 'verified', 1]);
    await workbench.notifications.dismissAll();
  });

  it('purges the selected traces', async () => {
    const { workbench } = at();
    const before = await at().traceCount();
    await at().ask('What is a run?');
    await at().ask('What is a checkpoint?');
    await at().showsTraces(before + 2);
    const rows = at().traces.locator.locator('.monaco-list-row').filter({ hasText: 'docs_agent' });
    // A click without modifier keys, so that nothing else stays selected.
    await rows.nth(0).click();
    // Its panel opens, and would take the focus from the menu.
    await workbench.webview('Trace: What is a checkpoint?');
    await rows.nth(1).click({ modifiers: ['Control'] });
    await rows.nth(1).click({ button: 'right' });
    await chooseMenuItem(workbench.page, 'Purge Traces…');
    await workbench.quickInput.pick('Purge 2 traces…');
    await at().answerBox(/^Purge Traces \(2\/2\): Confirm 2 traces/, 'docs-agent');
    await workbench.notifications.waitFor('Purged 2 traces. Verified: no data remains.', 30_000);
    assert.equal(await at().traceCount(), before);
    await workbench.dismissAll();
    await workbench.editors.closeAll();
  });
}
