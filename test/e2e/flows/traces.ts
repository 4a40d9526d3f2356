import type { Place } from './place.ts';

/** Actions on the traces of two runs, except purging them. */
export function traceFlows(at: () => Place): void {
  it('searches inputs and outputs, and filters by metadata and status', async () => {
    const { workbench } = at();
    await at().haveTwoConversations();
    await at().traces.titleAction('Search Traces');
    await at().answerBox('Search Traces', 'superstep');
    await at().showsTraces(1);
    await at().traces.waitForMessage('Filter: “superstep”');
    await at().traces.titleAction('Filter Traces');
    await workbench.quickInput.pick('Metadata');
    await at().answerBox('Filter Traces by Metadata', 'user=ada');
    await at().traces.waitForText(/^▾ docs-agent[^\n]*\n {2}- {2}· No traces match this filter\.$/);
    await at().traces.waitForMessage('Filter: “superstep” · user=ada');
    await workbench.screenshot('traces-filtered');
    await at().traces.titleAction('Clear Filter');
    await at().showsTraces(2);
    await at().traces.waitForMessage('');
  });
}
