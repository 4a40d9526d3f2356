import assert from 'node:assert/strict';
import { eventually } from '../../support/wait.ts';
import type { Place } from './place.ts';

const add = 'Agent Harbor: Delete Examples…';

/** Traces become examples, and examples go: from what a dataset is now, or from all its versions. Two traces are there. */
export function datasetFlows(at: () => Place): void {
  const dataset = async () => (await at().client.datasets.list({ query: { name: 'questions' } }))[0];
  const trace = ['docs-agent', 'What is a superstep?'];

  /** The examples of the dataset as it is, or was. */
  async function examples(as_of?: string): Promise<string[]> {
    const query = { dataset: (await dataset())?.id ?? '', ...(as_of !== undefined && { as_of }) };
    const found = await at().client.examples.list({ query });
    return found.map(({ id = '' }) => id);
  }

  /** Begins to delete, up to how. */
  async function tick(count: number): Promise<void> {
    const { quickInput } = at().workbench;
    await at().workbench.runCommand(add);
    await quickInput.waitFor('Select a dataset to delete examples from');
    await quickInput.pick('questions');
    const { items } = await quickInput.waitFor('Select the examples of questions to delete');
    for (const { label } of items.slice(0, count)) await quickInput.pick(label);
    await quickInput.accept();
    await quickInput.waitFor(/^Delete (1 example|\d examples)$/);
  }

  it('adds a trace to a new dataset once it has a name', async () => {
    const { quickInput, notifications } = at().workbench;
    const earlier = await dataset();
    if (earlier?.id !== undefined) await at().client.datasets.delete({ params: { dataset_id: earlier.id } });
    const begin = async (): Promise<void> => {
      await at().traces.contextMenuItem(trace, 'Add to Dataset…');
      await quickInput.waitFor('Select a dataset');
    };
    await begin();
    await quickInput.cancel();
    await begin();
    await quickInput.pick('New Dataset…');
    await quickInput.waitFor('New Dataset');
    await quickInput.cancel();
    await begin();
    await quickInput.pick('New Dataset…');
    await at().answerBox('New Dataset', ' ');
    await eventually(
      'the name to be refused',
      () => quickInput.state(),
      ({ message }) => message.includes('Enter a name.'),
    );
    assert.equal(await dataset(), undefined);
    await quickInput.type('questions');
    await quickInput.accept();
    await notifications.waitFor('Added to questions.');
    assert.equal((await examples()).length, 1);
    await notifications.press('Added to questions.', 'Open');
    await at().editorText('"inputs": {');
    await at().workbench.editors.closeAll();
    await notifications.dismissAll();
  });

  it('adds the selected traces to an existing dataset', async () => {
    const { workbench, traces } = at();
    const before = (await examples()).length;
    const rows = traces.locator.locator('.monaco-list-row').filter({ hasText: 'docs_agent' });
    for (const row of [rows.nth(0), rows.nth(1)])
      if ((await row.getAttribute('aria-selected')) !== 'true') await row.click({ modifiers: ['Control'] });
    await traces.contextMenuItem(trace, 'Add to Dataset…');
    await workbench.quickInput.pick('questions');
    await workbench.notifications.waitFor('Added 2 examples to questions.');
    assert.equal((await examples()).length, before + 2);
    await workbench.notifications.dismissAll();
    await workbench.editors.closeAll();
  });

  it('deletes examples from the current version of a dataset, and its earlier version keeps them', async () => {
    const { quickInput, notifications } = at().workbench;
    const before = new Date().toISOString();
    const count = (await examples()).length;
    await tick(1);
    await quickInput.cancel();
    assert.equal((await examples()).length, count);
    await tick(1);
    await quickInput.pick('Delete');
    await notifications.waitFor('Deleted 1 example. Earlier versions of questions keep it.');
    assert.equal((await examples()).length, count - 1);
    assert.equal((await examples(before)).length, count);
    await notifications.dismissAll();
  });

  it('purges examples from all versions once the name is typed, and only then', async () => {
    const { quickInput, notifications } = at().workbench;
    const before = new Date().toISOString();
    const count = (await examples()).length;
    const purge = async (): Promise<void> => {
      await tick(2);
      await quickInput.pick('Purge from All Versions');
      await quickInput.waitFor('Permanently Purge 2 examples');
    };
    await purge();
    await quickInput.cancel();
    await purge();
    await quickInput.type('question');
    await quickInput.accept();
    await notifications.waitFor('Purge cancelled. Nothing was deleted.');
    assert.equal((await examples()).length, count);
    await notifications.dismissAll();
    await purge();
    await quickInput.type('questions');
    await quickInput.accept();
    await notifications.waitFor('Purged 2 examples from all versions of questions.');
    assert.equal((await examples()).length, count - 2);
    // No earlier version has them either.
    assert.equal((await examples(before)).length, count - 2);
    await notifications.dismissAll();
  });

  it('shows datasets and their examples below the projects, opens one, and deletes it from its row', async () => {
    const { traces, workbench } = at();
    const { quickInput, notifications } = workbench;
    const body = { dataset_id: (await dataset())?.id ?? '', inputs: { messages: 'What is a superstep?' } };
    await at().client.examples.create({ body });
    const count = (await examples()).length;
    await at().look(traces);
    await traces.expand(['Datasets']);
    await traces.expand(['Datasets', 'questions']);
    const row = ['Datasets', 'questions', 'What is a superstep?'];
    await traces.waitForText(/▾ questions · \d+ examples? · [^\n]*\n {4}- What is a superstep\? · /);
    await traces.click(row);
    await at().editorText('"inputs": {');
    await workbench.screenshotInEveryTheme('datasets');
    await workbench.editors.closeAll();
    await traces.contextMenuItem(row, 'Delete Examples…');
    await quickInput.waitFor('Delete 1 example');
    await quickInput.cancel();
    assert.equal((await examples()).length, count);
    await traces.contextMenuItem(row, 'Delete Examples…');
    await quickInput.pick('Delete');
    await notifications.waitFor('Deleted 1 example. Earlier versions of questions keep it.');
    assert.equal((await examples()).length, count - 1);
    await traces.waitForText(new RegExp(`▾ questions · ${count - 1} example`));
    await traces.collapse(['Datasets', 'questions']);
    await traces.collapse(['Datasets']);
    await notifications.dismissAll();
  });
}
