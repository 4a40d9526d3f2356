import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import path from 'node:path';
import type { HarborWindow } from '../e2e/pages/harbor-window.ts';
import { eventually } from '../support/wait.ts';
import type { Workbench } from '../support/workbench/workbench.ts';
import { host, project } from './dialog-table.ts';

/** Tests dialog answers that `npm test` does not cover. Expects one trace, and purges it at the end. */
export function answerFlows(at: () => HarborWindow, folder: () => string): void {
  const none = /^▾ panel-agents[^\n]*\n {2}- {2}· No traces match this filter\.\n▸ Datasets · 1$/;
  const one = /^▾ panel-agents[^\n]*\n {2}▸ Ada · order[^\n]*\n▸ Datasets · 1$/;

  /** The filters of the Traces view, how their questions are answered, and what is left. */
  const filters: readonly {
    readonly by: string;
    readonly answer: (quickInput: Workbench['quickInput']) => Promise<void>;
    readonly shows: RegExp;
  }[] = [
    { by: 'Status', answer: (input) => input.pick('Failed'), shows: none },
    { by: 'Status', answer: (input) => input.pick('Succeeded'), shows: one },
    { by: 'Status', answer: (input) => input.pick('Still running'), shows: none },
    { by: 'Name', answer: typing('Filter Traces by Name', 'order'), shows: one },
    { by: 'Name', answer: typing('Filter Traces by Name', 'nothing'), shows: none },
    { by: 'Text', answer: typing('Search Traces', 'Ada'), shows: one },
    { by: 'Latency', answer: typing('Filter Traces by Latency', '0.1'), shows: one },
    { by: 'Latency', answer: typing('Filter Traces by Latency', '1000'), shows: none },
    { by: 'Feedback', answer: (input) => input.pick('helpful: good'), shows: none },
    { by: 'Metadata', answer: typing('Filter Traces by Metadata', 'user=ada'), shows: one },
    { by: 'Metadata', answer: typing('Filter Traces by Metadata', 'user=bob'), shows: none },
  ];
  for (const [index, { by, answer, shows }] of filters.entries()) {
    it(`narrows the traces by ${by.toLowerCase()} (${index + 1}), until the filter is cleared`, async () => {
      const { workbench } = at();
      const traces = await workbench.view('Traces');
      await traces.titleAction('Filter Traces');
      await workbench.quickInput.pick(by);
      await answer(workbench.quickInput);
      await traces.waitForMessage(/^Filter: /);
      await traces.waitForText(shows);
      await traces.titleAction('Clear Filter');
      await traces.waitForText(one);
    });
  }

  it('keeps another default and other days for new traces', async () => {
    const { workbench } = at();
    const { quickInput } = workbench;
    const { purging } = await at().client();
    const change = async (what: string): Promise<void> => {
      await workbench.runCommand('Agent Harbor: Set Trace Retention…');
      await quickInput.waitFor('Trace Retention for the Workspace');
      await quickInput.pick(what);
    };
    await change('Default for new traces');
    await quickInput.waitFor('Default for new traces');
    await quickInput.pick('Extended: 400 days');
    await change('Extended retention');
    await typing('Days to keep traces', '100')(quickInput);
    await eventually('what is kept', async () => {
      const [settings] = await purging.listTtl();
      return settings?.default_trace_tier === 'longlived' && settings.longlived_ttl_days === 100;
    });
  });

  it('says when there is nothing to purge, and shows a trace that would be deleted', async () => {
    const { workbench } = at();
    const { quickInput, notifications } = workbench;
    const traces = await workbench.view('Traces');
    await traces.contextMenuItem([project], 'Purge Traces…');
    await quickInput.pick('Traces with metadata…');
    await typing('Purge Traces with Metadata', 'user=nobody')(quickInput);
    await notifications.waitFor('No matching traces. Nothing was purged.');
    await notifications.dismissAll();
    await traces.contextMenuItem([project], 'Purge Traces…');
    await quickInput.pick(`All traces of ${project}`);
    await quickInput.waitFor('Purge Traces (1/2): Preview');
    await quickInput.pick('order');
    await workbench.webview('Trace: order');
    await traces.waitForText(one);
    await workbench.editors.closeAll();
  });

  it('purges traces with some metadata in all projects', async () => {
    const { workbench } = at();
    const { quickInput, notifications } = workbench;
    const traces = await workbench.view('Traces');
    await traces.titleAction('Purge Traces…');
    await quickInput.pick('All projects');
    await typing('Purge Traces with Metadata', 'user=ada')(quickInput);
    await quickInput.pick('Purge 1 trace…');
    await typing(/^Purge Traces \(2\/2\)/, 'user=ada')(quickInput);
    await notifications.waitFor('Purged 1 trace. Verified: no data remains.', 30_000);
    await notifications.dismissAll();
  });

  it('forgets a connection when that is confirmed', async () => {
    const { workbench } = at();
    const deployments = await workbench.view('Deployments');
    await workbench.runCommand('Agent Harbor: Remove Connection…');
    await workbench.quickInput.pick(host);
    await workbench.dialog.waitFor(`Remove the connection to ${host}?`);
    await workbench.dialog.press('Remove');
    await deployments.waitForText((text) => !text.includes(`${host} ·`));
    assert.match(await deployments.text(), /127\.0\.0\.1:2 · signed out/);
  });

  it('creates a Python project in the open folder, and installs its dependencies', async () => {
    const { quickInput, notifications } = at().workbench;
    await at().workbench.runCommand('Agent Harbor: Create Agent Project…');
    await quickInput.pick('Python');
    await quickInput.waitFor('Create Agent Project (2/4)');
    await quickInput.pick(project);
    await typing('Create Agent Project (3/4)', 'in-python')(quickInput);
    await notifications.waitFor(/^Installing the dependencies of in-python/, 90_000);
    await access(path.join(folder(), 'in-python', 'langgraph.json'));
  });
}

function typing(title: string | RegExp, text: string) {
  return async (quickInput: Workbench['quickInput']): Promise<void> => {
    await quickInput.waitFor(title);
    await quickInput.type(text);
    await quickInput.accept();
  };
}
