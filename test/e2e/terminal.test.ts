import { exampleFolder } from '../support/example.ts';
import { installVsCode } from '../support/vscode-install.ts';
import { HarborWindow } from './pages/harbor-window.ts';

describe('a terminal of VS Code', function () {
  this.timeout(120_000);
  let window: HarborWindow;

  before(async function () {
    // Where node-pty cannot be built, this VS Code has no terminal.
    if ((await installVsCode()).terminal !== 'works') this.skip();
    window = await HarborWindow.open({ folder: await exampleFolder('docs-agent') });
  });

  after(() => window?.close());

  afterEach(function () {
    return window.workbench.keepEvidence(this.currentTest);
  });

  it("has agent-harbor on its PATH, which runs agents on the window's own server", async () => {
    await window.openViews('docs_agent');
    const terminal = await window.workbench.openTerminal();
    await terminal.run('agent-harbor --version');
    await terminal.waitForText(/^\d+\.\d+\.\d+$/m, 30_000);
    await terminal.run(`agent-harbor run docs_agent --input '{"messages": "What is a thread?"}'`);
    await terminal.waitForText(/A thread is a container for state/, 60_000);
    const threads = await window.workbench.view('Threads');
    await threads.waitForText(/What is a thread\?/, 30_000);
  });
});
