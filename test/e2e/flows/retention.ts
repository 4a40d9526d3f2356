import assert from 'node:assert/strict';
import { eventually } from '../../support/wait.ts';
import type { Place } from './place.ts';

/** How long traces are kept, of the project and of the workspace. */
export function retentionFlows(at: () => Place): void {
  it('shows and changes how long traces are kept', async () => {
    const { workbench } = at();
    await at().haveTwoConversations();
    await at().traces.contextMenuItem(['docs-agent'], 'Set Trace Retention…');
    const { items } = await workbench.quickInput.waitFor('Trace Retention for docs-agent');
    assert.deepEqual(
      items.map(({ label, description }) => `${label} · ${description}`),
      ['Base: 14 days · current (workspace default)', 'Extended: 400 days · '],
    );
    await workbench.quickInput.pick('Extended: 400 days');
    await eventually('the project', async () => {
      const [project] = await at().client.tracing.sessions.list({ query: { name: 'docs-agent' } });
      return project?.trace_tier === 'longlived';
    });
    await workbench.runCommand('Agent Harbor: Set Trace Retention…');
    await workbench.quickInput.pick('Base retention');
    await at().answerBox('Days to keep traces', '7');
    await eventually('the workspace', async () => {
      const [settings] = await at().client.purging.listTtl();
      return settings?.shortlived_ttl_days === 7;
    });
  });
}
