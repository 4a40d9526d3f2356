import assert from 'node:assert/strict';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectRoot } from '../support/cache.ts';
import { exampleFolder } from '../support/example.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';
import { HarborWindow } from './pages/harbor-window.ts';

describe('langgraph.json in the editor', function () {
  this.timeout(180_000);
  let window: HarborWindow;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let folder: string;
  /** A source of the graph that loads. */
  let text: string;

  before(async () => {
    // A copy, since its source is broken here.
    const example = await exampleFolder('docs-agent');
    temporary = await temporaryFolder();
    folder = path.join(temporary.path, 'examples', 'docs-agent');
    const modules = path.join(example, 'node_modules');
    await cp(example, folder, { recursive: true, filter: (source) => source !== modules });
    // The documents from which the example answers.
    await symlink(path.join(projectRoot, 'docs'), path.join(temporary.path, 'docs'), 'junction');
    await symlink(modules, path.join(folder, 'node_modules'), 'junction');
    text = await readFile(path.join(folder, 'src', 'graph.ts'), 'utf8');
    window = await HarborWindow.open({ folder });
  });

  after(async () => {
    await window?.close();
    await temporary?.[Symbol.asyncDispose]();
  });

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  const lens = (title: string) =>
    window.workbench.page.locator('.codelens-decoration a', { hasText: title }).first();

  /** The rows of the Problems panel. */
  const problems = async (): Promise<string[]> => {
    const rows = window.workbench.page.locator('.markers-panel .monaco-list-row');
    return (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
  };

  it('runs a graph from the lens above it', async () => {
    await window.workbench.editors.closeAll();
    await window.workbench.editors.open('langgraph.json');
    await lens('Run').click();
    const panel = await window.runPanel('docs_agent');
    await panel.send('What is a thread?');
    assert.equal(await panel.outcome(), 'Done');
    await panel.waitForAnswer(/A thread is a container/);
    await window.workbench.editors.closeAll();
  });

  it('runs the selection of any document after the user has reviewed it', async () => {
    const { workbench } = window;
    await workbench.editors.closeAll();
    await workbench.editors.open('README.md');
    await workbench.page.locator('.monaco-editor .view-line').first().click({ clickCount: 3 });
    await workbench.runCommand('Agent Harbor: Run with Selection as Input');
    const panel = await window.runPanel('docs_agent');
    const input = panel.frame.getByRole('textbox').first();
    await eventually(
      'the selection',
      () => input.inputValue(),
      (text) => text.startsWith('# '),
    );
    const selected = await input.inputValue();
    await input.press('Enter');
    assert.match(await panel.outcome(), /^(?:Done|Waiting for input)/);
    await panel.waitForSaid(selected.trim());
    await workbench.editors.closeAll();
  });

  it('shows where a graph does not load as soon as the file is saved, until it loads again', async () => {
    await window.openViews('docs_agent');
    await window.workbench.editors.open('langgraph.json');
    await window.workbench.runCommand('Problems: Focus on Problems View');
    const source = path.join(folder, 'src', 'graph.ts');
    await writeFile(source, `${text}\nthrow new Error('Not today.');\n`);
    const line = text.split('\n').length + 1;
    await eventually(
      `the problem, in line ${line}`,
      problems,
      (found) =>
        found.filter((row) => row.includes('Not today.')).length >= 2 &&
        found.some((row) => row.includes(`[Ln ${line}, Col`)),
      30_000,
    );
    await window.workbench.screenshot('langgraph-json');
    await writeFile(source, text);
    await eventually(
      'no problem',
      problems,
      (found) => !found.some((row) => row.includes('Not today.')),
      30_000,
    );
  });

  it('writes the files for coding agents beside it, after listing them', async () => {
    const { workbench } = window;
    await workbench.editors.closeAll();
    await workbench.runCommand('Agent Harbor: Set Up Coding Agents…');
    await workbench.quickInput.waitFor('Select the files to write');
    await workbench.quickInput.accept();
    const { detail } = await workbench.dialog.waitFor('Write 2 files for coding agents?');
    assert.match(detail, /\.mcp\.json \(new\)/);
    assert.match(detail, /Coding agents start the MCP server with: \S*agent-harbor(?:\.cmd)? mcp/);
    await workbench.dialog.press('Write Files');
    await workbench.editors.waitForText('name: agent-harbor');
    const written = JSON.parse(await readFile(path.join(folder, '.mcp.json'), 'utf8'));
    assert.deepEqual(Object.keys(written.mcpServers), ['agent-harbor']);
    await workbench.editors.closeAll();
  });

  it('has caused no error on the console', () => {
    assert.deepEqual(window.workbench.problems(), []);
  });
});
