import assert from 'node:assert/strict';
import { eventually } from '../../support/wait.ts';
import type { Place } from './place.ts';

const deleteExamples = 'Agent Harbor: Delete Examples…';

/** Traces become examples, and examples are deleted: from the current version of a dataset, or from all. */
export function datasetFlows(at: () => Place): void {
  const dataset = async () => (await at().client.datasets.list({ query: { name: 'questions' } }))[0];
  const trace = ['docs-agent', 'What is a superstep?'];

  /** The examples of the dataset, now or at an earlier time. */
  async function examples(as_of?: string): Promise<string[]> {
    const query = { dataset: (await dataset())?.id ?? '', ...(as_of !== undefined && { as_of }) };
    const found = await at().client.examples.list({ query });
    return found.map(({ id = '' }) => id);
  }

  /** Creates the dataset with this many examples, and with nothing from before. */
  async function haveExamples(count: number): Promise<void> {
    const { datasets, examples: made } = at().client;
    await forget();
    const { id: dataset_id } = await datasets.create({ body: { name: 'questions' } });
    for (let number = 1; number <= count; number++)
      await made.create({ body: { dataset_id, inputs: { messages: `Question ${number}?` } } });
    await at().look(at().traces);
  }

  async function forget(): Promise<void> {
    const earlier = await dataset();
    if (earlier === undefined) return;
    await at().client.datasets.delete({ params: { dataset_id: earlier.id } });
    await at().look(at().traces);
    // Waits until its row is gone, because the next dataset has the same name.
    await at().traces.waitForText((text) => !text.includes('questions · '));
  }

  /** Begins to delete, up to the question how. */
  async function tick(count: number): Promise<void> {
    const { quickInput } = at().workbench;
    await at().workbench.runCommand(deleteExamples);
    await quickInput.waitFor('Select a dataset to delete examples from');
    await quickInput.pick('questions');
    const { items } = await quickInput.waitFor('Select the examples of questions to delete');
    for (const { label } of items.slice(0, count)) await quickInput.pick(label);
    await quickInput.accept();
    await quickInput.waitFor(/^Delete (1 example|\d examples)$/);
  }

  it('adds a trace to a new dataset once it has a name', async () => {
    const { quickInput, notifications } = at().workbench;
    await at().haveTwoConversations();
    await forget();
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
    await at().workbench.editors.waitForText('"inputs": {');
    await at().workbench.editors.closeAll();
    await notifications.dismissAll();
  });

  it('adds the selected traces to an existing dataset', async () => {
    const { workbench, traces } = at();
    await at().haveTwoConversations();
    await haveExamples(1);
    const rows = traces.locator.locator('.monaco-list-row').filter({ hasText: 'docs_agent' });
    for (const row of [rows.nth(0), rows.nth(1)])
      if ((await row.getAttribute('aria-selected')) !== 'true') await row.click({ modifiers: ['Control'] });
    await traces.contextMenuItem(trace, 'Add to Dataset…');
    await workbench.quickInput.pick('questions');
    await workbench.notifications.waitFor('Added 2 examples to questions.');
    assert.equal((await examples()).length, 3);
    await workbench.notifications.dismissAll();
    await workbench.editors.closeAll();
  });

  it('deletes examples from the current version of a dataset, and its earlier version keeps them', async () => {
    const { quickInput, notifications } = at().workbench;
    await haveExamples(2);
    const before = new Date().toISOString();
    const count = 2;
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
    await haveExamples(3);
    const before = new Date().toISOString();
    const count = 3;
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
    await eventually(
      'what is wrong with it',
      () => quickInput.state(),
      (state) => state?.message === 'The name does not match questions.',
    );
    assert.equal((await examples()).length, count);
    await quickInput.type('questions');
    await quickInput.accept();
    await notifications.waitFor('Purged 2 examples from all versions of questions.');
    assert.equal((await examples()).length, count - 2);
    // They are deleted from earlier versions, too.
    assert.equal((await examples(before)).length, count - 2);
    await notifications.dismissAll();
  });

  it('deletes a dataset after confirmation', async () => {
    const { traces, workbench } = at();
    await haveExamples(2);
    await traces.expand(['Datasets']);
    // A row that is still loading passes no element to a command.
    await traces.waitForText(/ questions · 2 examples/);
    const row = ['Datasets', 'questions'];
    await traces.contextMenuItem(row, 'Delete Dataset…');
    await workbench.dialog.waitFor('Delete the dataset “questions”?');
    await workbench.dialog.press('Cancel');
    assert.equal((await examples()).length, 2);
    await traces.contextMenuItem(row, 'Delete Dataset…');
    await workbench.dialog.press('Delete');
    await eventually('the dataset to be gone', async () => (await dataset()) === undefined);
    await traces.waitForText((text) => !text.includes('questions · '));
  });

  it('saves an example that was changed in its document', async () => {
    const { traces, workbench, client } = at();
    await workbench.editors.discardAll();
    await haveExamples(1);
    const [example_id = ''] = await examples();
    await traces.expand(['Datasets']);
    await traces.expand(['Datasets', 'questions']);
    await traces.click(['Datasets', 'questions', 'Question 1?']);
    await at().workbench.editors.waitForText('"messages": "Question 1?"');
    await workbench.runCommand('View: Focus Active Editor Group');
    await workbench.page.keyboard.press('Control+A');
    await workbench.page.keyboard.insertText(
      '{"inputs": {"messages": "Changed?"}, "outputs": {"answer": 42}}',
    );
    // Deletes the brackets with which the editor closed open ones by itself.
    await workbench.page.keyboard.press('Control+Shift+End');
    await workbench.page.keyboard.press('Delete');
    await workbench.page.keyboard.press('Control+S');
    const saved = await eventually(
      'the changed example',
      () => client.examples.get({ params: { example_id } }),
      ({ outputs }) => outputs != null,
    );
    assert.deepEqual([saved.inputs, saved.outputs], [{ messages: 'Changed?' }, { answer: 42 }]);
    await traces.waitForText(/▾ questions · 1 example · [^\n]*\n {4}- Changed\? · /);
    await workbench.editors.closeAll();
    await forget();
  });

  it('adds an example that is written in a new document', async () => {
    const { traces, workbench } = at();
    await workbench.editors.discardAll();
    await haveExamples(1);
    await traces.expand(['Datasets']);
    await traces.expand(['Datasets', 'questions']);
    await traces.contextMenuItem(['Datasets', 'questions'], 'New Example');
    await workbench.editors.waitForText('"inputs": {}');
    assert.equal((await examples()).length, 1, 'nothing is added before it is saved');
    await eventually('the cursor in the inputs', async () =>
      (await workbench.statusBar()).some((text) => text.includes('Ln 2, Col 14')),
    );
    await workbench.page.keyboard.insertText('"messages": "By hand?"');
    await workbench.page.keyboard.press('Control+S');
    await traces.waitForText(/▾ questions · 2 examples · [^\n]*[\s\S]*- By hand\? · /);
    await workbench.page.keyboard.insertText(', "again": true');
    await workbench.page.keyboard.press('Control+S');
    await eventually('the change of it', async () => {
      const found = await at().client.examples.list({ query: { dataset: (await dataset())?.id ?? '' } });
      return found.length === 2 && found.some(({ inputs }) => inputs?.again === true);
    });
    await workbench.editors.closeAll();
  });

  it('shows datasets and their examples below the projects, opens one, and deletes it from its row', async () => {
    const { traces, workbench } = at();
    const { quickInput, notifications } = workbench;
    await haveExamples(2);
    const count = 2;
    await traces.expand(['Datasets']);
    await traces.expand(['Datasets', 'questions']);
    const row = ['Datasets', 'questions', 'Question 1?'];
    await traces.waitForText(/▾ questions · \d+ examples? · [^\n]*\n {4}- Question \d\? · /);
    await traces.click(row);
    await at().workbench.editors.waitForText('"inputs": {');
    await workbench.screenshotInThemes('datasets');
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
