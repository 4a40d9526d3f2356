/**
 * Cancels every dialog at every question. Afterwards, nothing has changed, no message is shown, and no dialog
 * is open.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { HarborWindow } from '../e2e/pages/harbor-window.ts';
import { projectRoot } from '../support/cache.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';
import { answerFlows } from './answers.ts';
import { goTo, leave, tryRefused } from './dialog.ts';
import { assistant, dataset, dialogs, host, project, thread, unmade } from './dialog-table.ts';

describe('every dialog', function () {
  this.timeout(300_000);
  let window: HarborWindow;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  /** How many problems on the console the tests so far have reported. */
  let reported = 0;

  before(async () => {
    // A copy, so that a failed test does not create a project in the repository.
    temporary = await temporaryFolder();
    const folder = path.join(temporary.path, project);
    await cp(path.join(projectRoot, 'test', 'fixtures', project), folder, { recursive: true });
    await symlink(
      path.join(projectRoot, 'node_modules'),
      path.join(temporary.path, 'node_modules'),
      'junction',
    );
    window = await HarborWindow.open({ folder, size: { width: 1280, height: 1400 } });
    await window.openViews('order');
    await fill();
  });

  after(async () => {
    await window?.close();
    await temporary?.[Symbol.asyncDispose]();
  });

  afterEach('no error on the console', async function () {
    await window.workbench.afterTest(this.currentTest);
    const problems = window.workbench.problems().slice(reported);
    reported += problems.length;
    assert.deepEqual(problems, []);
  });

  /** One resource of each kind that the dialogs need, and two signed-out connections. */
  async function fill(): Promise<void> {
    const { workbench } = window;
    const client = await window.agentClient();
    await client.assistants.create({ body: { graph_id: 'order', name: assistant } });
    const metadata = { user: 'ada', name: thread };
    const { thread_id } = await client.threads.create({ body: { metadata } });
    const input = { customer: 'Ada', crates: [] };
    await client.runs.wait({ params: { thread_id }, body: { assistant_id: 'order', input, metadata } });
    const { id } = await client.datasets.create({ body: { name: dataset } });
    await client.examples.create({ body: { dataset_id: id, inputs: { n: 1 } } });
    for (const address of [host, '127.0.0.1:2']) {
      const { quickInput } = workbench;
      await workbench.runCommand('Agent Harbor: Add Connection…');
      await quickInput.pick('Self-Hosted');
      await quickInput.waitFor('https://agents.example.com');
      await quickInput.type(`http://${address}`);
      await quickInput.accept();
      await quickInput.waitFor(`Sign In to ${address}`);
      await quickInput.cancel();
    }
    await (await workbench.view('Deployments')).waitForText(/127\.0\.0\.1:2 · signed out/);
    await (await workbench.view('Assistants')).waitForText((text) => text.includes(assistant));
    await (await workbench.view('Threads')).waitForText((text) => text.includes(thread));
    await (await workbench.view('Traces')).waitForText(/^▾ panel-agents[^\n]*\n {2}▸ Ada · order/, 30_000);
  }

  /**
   * Everything that a dialog could change: the data, the folder of a new project, the editors and the views.
   */
  async function held(): Promise<unknown> {
    const client = await window.agentClient();
    const { workbench } = window;
    const { resources } = await client.deployments.list();
    const sessions = await client.tracing.sessions.list();
    const { runs } = await client.tracing.runs.query({ body: { session: sessions.map(({ id }) => id) } });
    return {
      assistants: await client.assistants.count({ body: {} }),
      threads: (await client.threads.search({ body: {} })).map(({ metadata }) => metadata),
      sessions: sessions.map(({ name, trace_tier }) => ({ name, trace_tier })),
      runs: runs.length,
      datasets: (await client.datasets.list({ query: {} })).map(({ name, example_count }) => [
        name,
        example_count,
      ]),
      retention: await client.purging.listTtl(),
      purges: await client.purging.listJobs(),
      deployments: resources.map(({ name }) => name),
      made: existsSync(path.join(homedir(), unmade)),
      tabs: await workbench.editors.tabs(),
      shown: await (await workbench.view('Deployments')).text(),
      lines: await Promise.all(
        ['Threads', 'Traces'].map(async (view) => (await workbench.view(view)).message()),
      ),
    };
  }

  for (const dialog of dialogs) {
    describe(dialog.name, () => {
      for (const [index, question] of dialog.questions.entries()) {
        it(`changes nothing when it is canceled at “${question.at}”`, async () => {
          const { workbench } = window;
          const before = await held();
          await goTo(workbench, dialog, index);
          await tryRefused(workbench, question);
          await leave(workbench, question);
          assert.equal(await workbench.quickInput.state(), undefined, 'nothing else is asked');
          assert.deepEqual(await workbench.notifications.all(), []);
          assert.deepEqual(await held(), before);
        });
      }
    });
  }

  describe('that walks through steps', () => {
    it('goes back to the previous question, with its answer', async () => {
      const { workbench } = window;
      const { quickInput } = workbench;
      await workbench.runCommand('Agent Harbor: Add Connection…');
      await quickInput.pick('Agent Server');
      await quickInput.waitFor('http://127.0.0.1:2024');
      await quickInput.type(`http://${host}`);
      await quickInput.accept();
      await quickInput.waitFor('API key');
      await quickInput.accept();
      await quickInput.waitFor('None');
      await quickInput.press('Back');
      await quickInput.waitFor('API key');
      await quickInput.press('Back');
      await eventually(
        'the address',
        () => quickInput.state(),
        ({ value }) => value === `http://${host}`,
      );
      await quickInput.press('Back');
      await quickInput.waitFor('Select a connection type');
      await quickInput.cancel();
    });
  });

  describe('that is answered', () =>
    answerFlows(
      () => window,
      () => path.join(temporary.path, project),
    ));
});
