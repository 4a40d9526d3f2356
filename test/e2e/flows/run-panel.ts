import assert from 'node:assert/strict';
import type { Client } from '../../../src/client/client.ts';
import { eventually } from '../../support/wait.ts';
import type { Workbench } from '../../support/workbench/workbench.ts';
import type { RunPanelPage } from '../pages/run-panel-page.ts';

export interface RunPanelFlows {
  readonly workbench: Workbench;
  /** A client of the agent server. */
  readonly client: Client;
  /** Opens the panel of the example's default assistant without a thread. */
  open(): Promise<RunPanelPage>;
}

/** Questions to the example in the run panel, wherever it is deployed. */
export function runPanelFlows(at: () => RunPanelFlows): void {
  /** Unfolds the options and presses one of their pickers. */
  async function choose(panel: RunPanelPage, name: RegExp): Promise<void> {
    await panel.frame.getByRole('region', { name: 'Run options' }).getByRole('button', { name }).click();
  }

  it('switches the run panel to another assistant and thread, and stays when nothing is selected', async () => {
    const { workbench, client } = at();
    const { quickInput } = workbench;
    // A unique name, in case an earlier attempt has left one.
    const name = `one passage ${Date.now()}`;
    const assistant = { graph_id: 'docs_agent', name, context: { max_passages: 1 } };
    const { assistant_id } = await client.assistants.create({ body: assistant });
    const panel = await at().open();
    await panel.send('What is a checkpoint?');
    await panel.outcome();
    await panel.button('Options').click();

    await choose(panel, /^Assistant: docs_agent/);
    await quickInput.waitFor('Select an assistant to run');
    await quickInput.cancel();
    await choose(panel, /^Assistant: docs_agent/);
    await quickInput.pick(name);
    const options = panel.frame.getByRole('region', { name: 'Run options' });
    await options.getByRole('button', { name: `Assistant: ${name}` }).waitFor();
    // The thread stays with its graph.
    await panel.waitForSaid('What is a checkpoint?');

    await choose(panel, /^Thread: /);
    await quickInput.waitFor('Select a thread to continue');
    await quickInput.cancel();
    await panel.waitForSaid('What is a checkpoint?');
    await choose(panel, /^Thread: /);
    await quickInput.pick('New Thread');
    await options.getByRole('button', { name: 'Thread: new thread' }).waitFor();
    await panel.waitForSaid();
    await panel.button('Options').click();
    await panel.send('What is a superstep?');
    await panel.outcome();
    const [run] = await client.runs.list({
      params: { thread_id: await newestThread() },
      query: { limit: 1 },
    });
    assert.equal(run?.assistant_id, assistant_id, 'the chosen assistant has run');

    await panel.button('Options').click();
    await choose(panel, /^Thread: /);
    await quickInput.pick('What is a checkpoint?');
    await panel.waitForSaid('What is a checkpoint?');
    await panel.button('Options').click();
    await client.assistants.delete({ params: { assistant_id } });
    await workbench.editors.closeAll();
  });

  it('changes an earlier message of a thread, and continues from there as a branch', async () => {
    const { workbench, client } = at();
    const panel = await at().open();
    await panel.send('What is a thread?');
    await panel.outcome();
    await panel.send('What is a run?');
    await panel.outcome(2);
    const thread_id = await newestThread();
    const before = (await client.threads.getState({ params: { thread_id } })).checkpoint.checkpoint_id;

    const pencil = panel.frame.getByRole('button', { name: 'Edit and Resend' });
    const field = panel.frame.getByRole('textbox', { name: 'Message' });
    const drafted = (text: string) =>
      eventually(
        `the message ${text} to be changed`,
        () => field.inputValue(),
        (value) => value === text,
      );
    await pencil.last().click();
    await panel.frame.getByText('You are viewing an earlier state.').waitFor();
    await panel.waitForSaid('What is a thread?');
    await drafted('What is a run?');
    // After canceling, everything is as it was.
    await panel.button('Return to Latest').click();
    await panel.waitForSaid('What is a thread?', 'What is a run?');
    await eventually(
      'the end of the first turn',
      () => panel.endedEarlier(),
      (count) => count === 1,
    );
    const unchanged = await client.threads.getState({ params: { thread_id } });
    assert.equal(unchanged.checkpoint.checkpoint_id, before);

    await pencil.last().click();
    await panel.frame.getByText('You are viewing an earlier state.').waitFor();
    await panel.send('What is a checkpoint?');
    await eventually('the branch', async () => {
      const { values, next } = await client.threads.getState({ params: { thread_id } });
      const text = JSON.stringify(values);
      return next.length === 0 && text.includes('What is a checkpoint?') && !text.includes('What is a run?');
    });
    await panel.waitForSaid('What is a thread?', 'What is a checkpoint?');
    // While a run is followed, the panel goes nowhere else.
    assert.equal(await panel.outcome(), 'Done');

    // Only an empty thread precedes the first message.
    await pencil.first().click();
    await panel.waitForSaid();
    await drafted('What is a thread?');
    await panel.button('Return to Latest').click();
    await workbench.editors.closeAll();
  });

  async function newestThread(): Promise<string> {
    const body = { limit: 1, sort_by: 'updated_at', sort_order: 'desc' } as const;
    return (await at().client.threads.search({ body }))[0]?.thread_id ?? '';
  }
}
