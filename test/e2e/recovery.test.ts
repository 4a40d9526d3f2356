import assert from 'node:assert/strict';
import { exampleFolder } from '../support/example.ts';
import { isAlive } from '../support/process-tree.ts';
import { skip } from '../support/skip.ts';
import { eventually } from '../support/wait.ts';
import { HarborWindow } from './pages/harbor-window.ts';
import { type RunPanelPage, wordsOf } from './pages/run-panel-page.ts';

describe('a window of the extension', function () {
  this.timeout(180_000);
  let window: HarborWindow;
  /** The example always gives the same answer to the same question. */
  let answer: string;

  before(async () => {
    window = await HarborWindow.open({ folder: await exampleFolder('docs-agent') });
    await window.openViews('docs_agent');
    await window.makeSlowAssistant('docs_agent');
  });

  after(() => window?.close());

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  /** @param assistant `slow` for runs that last long enough for something to happen during them. */
  function newPanel(assistant: 'docs_agent' | 'slow'): Promise<RunPanelPage> {
    return window.newRunPanel('Assistants', ['docs_agent', assistant]);
  }

  it('restores a panel after a reload, with its turn, its feedback and the text being typed', async () => {
    let panel = await newPanel('docs_agent');
    await panel.send('How do I purge traces?');
    assert.equal(await panel.outcome(), 'Done');
    answer = await panel.waitForAnswer(/./);
    assert.equal(wordsOf(answer), wordsOf(await window.newestAnswer()), 'nothing of it is missing');
    await panel.button('Bad Answer').click();
    await panel.frame.locator('.thumb[aria-pressed="true"]').waitFor();
    await panel.frame.getByRole('textbox', { name: 'Message' }).fill('And what is');

    await window.reload();
    panel = await window.runPanel('docs_agent');
    assert.equal(await panel.outcome(), 'Done');
    await panel.waitForAnswer(answer);
    await panel.frame.locator('.thumb[aria-label="Bad Answer"][aria-pressed="true"]').waitFor();
    await eventually(
      'what was being typed',
      () => panel.frame.getByRole('textbox', { name: 'Message' }).inputValue(),
      (text) => text === 'And what is',
    );
  });

  it('rejoins a run that is still in progress after a reload', async () => {
    let panel = await newPanel('slow');
    await panel.send('How do I purge traces?');
    await panel.firstTokens();
    await window.reload();
    panel = await window.runPanel('slow');
    assert.equal(await panel.outcome(), 'Done');
    await panel.waitForAnswer(answer);
  });

  it('shows a hidden panel again, with everything that arrived while it was hidden', async () => {
    const panel = await newPanel('slow');
    await panel.send('How do I purge traces?');
    await panel.firstTokens();
    await window.workbench.runCommand('File: New Untitled Text File');
    const threads = await window.workbench.view('Threads');
    await threads.waitForText(/^▾ Idle/, 30_000);
    await window.workbench.runCommand('View: Close Editor');
    const again = await window.runPanel('slow');
    assert.equal(await again.outcome(), 'Done');
    await again.waitForAnswer(answer);
    await again.waitForSteps('plan', 'retrieved', 'judged', 'judge', 'answer');
  });

  it('restarts the server when it is killed during a run, and the run continues', async () => {
    const panel = await newPanel('slow');
    await panel.send('How do I purge traces?');
    await panel.firstTokens();
    const { pid } = await window.server();
    process.kill(pid, 'SIGKILL');
    const next = await window.server(pid);
    assert.notEqual(next.pid, pid);
    assert.equal(await panel.outcome(), 'Done');
    await panel.waitForAnswer(answer);
    await (await window.workbench.view('Deployments')).waitForText(/^▾ docs-agent · 1 graph/, 60_000);
    assert.deepEqual(await window.workbench.notifications.all(), []);
  });

  it('cancels a run, and keeps its output so far', async () => {
    let panel = await newPanel('slow');
    await panel.send('How do I purge traces?');
    const said = await panel.firstTokens();
    await panel.button('Cancel Run').click();
    assert.equal(await panel.outcome(), 'Canceled');
    const kept = await panel.answer();
    assert.ok(wordsOf(kept).startsWith(wordsOf(said)), `“${said}” became “${kept}”`);
    await window.reload();
    panel = await window.runPanel('slow');
    await panel.waitForAnswer(kept);
    assert.equal(await panel.outcome(), 'Canceled');
    await panel.frame.getByText('Canceled while running “answer”').waitFor();
    await panel.send('What is a thread?');
    assert.equal(await panel.outcome(2), 'Done');
    await panel.waitForAnswer(/A thread is a container/);
  });

  it('shows what others do to its thread: edit the state, run it, delete it', async () => {
    const panel = await newPanel('docs_agent');
    await panel.send('What is a run?');
    await panel.outcome();
    await panel.frame.getByRole('textbox', { name: 'Message' }).fill('And what is');
    const { threads, runs } = await window.agentClient();
    const [thread] = await threads.search({ body: { limit: 1, sort_by: 'created_at', sort_order: 'desc' } });
    const params = { thread_id: thread?.thread_id ?? '' };
    const said = { type: 'human', content: 'Said by somebody else.' };
    await threads.updateState({ params, body: { values: { messages: [said] } } });
    await panel.frame.getByText('Said by somebody else.').waitFor();
    await runs.create({
      params,
      body: { assistant_id: 'docs_agent', input: { messages: 'What is a thread?' } },
    });
    await panel.waitForAnswer(/^A thread is a container/);
    await panel.outcome();
    await eventually('its end', async () => (await panel.now()).status === '' || undefined);
    assert.equal(await panel.frame.getByRole('textbox', { name: 'Message' }).inputValue(), 'And what is');
    await threads.delete({ params });
    await panel.frame.getByText('Send a message to start').waitFor();
  });

  it('stops and starts the server on request', async () => {
    await window.workbench.runCommand('Agent Harbor: Stop Server');
    const deployments = await window.workbench.view('Deployments');
    await deployments.waitForWelcome('The local server is stopped.');
    await window.workbench.screenshot('stopped');
    await deployments.clickWelcome('Start Server');
    await deployments.waitForText(/^▾ docs-agent · 1 graph/, 60_000);
  });

  it('says that the server does not respond, and restarts it on request', async function () {
    if (process.platform === 'win32') skip(this, 'on Windows a program cannot stop another one');
    const { pid } = await window.server();
    const deployments = await window.workbench.view('Deployments');
    process.kill(pid, 'SIGSTOP');
    try {
      await window.workbench.notifications.waitFor(/^The local server is not responding/, 60_000);
      await deployments.waitForWelcome(/^The local server is not responding/);
      await window.workbench.screenshot('silent-server');
      await deployments.clickWelcome('Restart Server');
      assert.notEqual((await window.server(pid)).pid, pid);
      await deployments.waitForText(/^▾ docs-agent · 1 graph/, 60_000);
    } finally {
      if (isAlive(pid)) process.kill(pid, 'SIGCONT');
    }
  });
});
