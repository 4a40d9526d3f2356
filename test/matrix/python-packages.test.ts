/** A Python project in whose environment LangGraph is missing, which is installed from what the workbench offers. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { HarborWindow } from '../e2e/pages/harbor-window.ts';
import { findPython, withPython } from '../support/python-environments.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { View } from '../support/workbench/view.ts';

const graph = `from langgraph.graph import MessagesState, StateGraph
graph = StateGraph(MessagesState).add_node("a", lambda state: {}).add_edge("__start__", "a").compile()
`;

describe('a Python project without LangGraph', function () {
  this.timeout(400_000);
  let temporary: Awaited<ReturnType<typeof temporaryFolder>> | undefined;
  let window: HarborWindow | undefined;
  let deployments: View;

  before(async function () {
    const python = await withPython(this, findPython);
    temporary = await temporaryFolder();
    const folder = path.join(temporary.path, 'bare');
    await promisify(execFile)(python.file, ['-m', 'venv', path.join(folder, '.venv')]);
    await writeFile(path.join(folder, 'requirements.txt'), 'langgraph>=1\n');
    await writeFile(path.join(folder, 'graph.py'), graph);
    await writeFile(path.join(folder, 'langgraph.json'), '{"graphs": {"bare": "./graph.py:graph"}}');
    window = await HarborWindow.open({ folder });
    await window.workbench.openViewContainer('Agent Harbor');
    deployments = await window.workbench.view('Deployments');
  });

  after(async () => {
    await window?.close();
    await temporary?.[Symbol.asyncDispose]();
  });

  afterEach(function () {
    return window?.workbench.afterTest(this.currentTest);
  });

  function opened(): HarborWindow {
    assert.ok(window);
    return window;
  }

  it('says so with a button for each tool, and installs nothing when it is closed', async () => {
    const { notifications } = opened().workbench;
    const missing = /^bare: LangGraph is not installed for .*\.venv/;
    const { severity, buttons } = await notifications.waitFor(missing, 60_000);
    assert.equal(severity, 'warning');
    assert.ok(buttons.includes('Install with pip'), buttons.join());
    await opened().workbench.screenshot('langgraph-missing');
    await notifications.dismiss(missing);
    await deployments.waitForText((text) => !/1 graph/.test(text) && text.includes('bare'));
  });

  it('offers the same later, and installs nothing when nothing is chosen', async () => {
    const { quickInput } = opened().workbench;
    await opened().workbench.runCommand('Agent Harbor: Install Dependencies');
    const { items } = await quickInput.waitFor('Select how to install the missing packages');
    assert.ok(items.some(({ detail }) => /pip install -r requirements\.txt/.test(detail)));
    await quickInput.cancel();
    assert.doesNotMatch(await deployments.text(), /1 graph/);
  });

  it('installs it in a terminal, and loads the graph', async () => {
    const { quickInput } = opened().workbench;
    await opened().workbench.runCommand('Agent Harbor: Install Dependencies');
    await quickInput.pick('Install with pip');
    await deployments.waitForText(/bare · 1 graph/, 240_000);
    assert.deepEqual(opened().workbench.problems(), []);
  });
});
