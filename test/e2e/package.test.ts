import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../support/cache.ts';
import { exampleFolder } from '../support/example.ts';
import { HarborWindow } from './pages/harbor-window.ts';

describe('the package', function () {
  this.timeout(240_000);
  let folder: string;
  let vsix: string;
  let window: HarborWindow | undefined;

  before(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'agent-harbor-vsix-')));
    vsix = path.join(folder, 'agent-harbor.vsix');
    const script = path.join(projectRoot, 'scripts', 'package.ts');
    // It fails when the package is too large.
    await promisify(execFile)(process.execPath, [script, '--out', vsix]);
  });

  after(async () => {
    await window?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  afterEach(function () {
    return window?.workbench.afterTest(this.currentTest);
  });

  it('is installed by VS Code, serves a folder and runs its agent without the sources', async () => {
    await window?.close();
    window = await HarborWindow.open({ folder: await exampleFolder('docs-agent'), vsix });
    const { workbench } = window;
    const extensions = path.join(workbench.server.dataFolder, 'extensions');
    const installed = (await readdir(extensions)).find((name) =>
      name.startsWith('agent-harbor.agent-harbor-'),
    );
    assert.ok(installed);
    const notices = await readFile(path.join(extensions, installed, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    assert.match(notices, /^preact \d/m);
    await window.openViews('docs_agent');
    const panel = await window.newRunPanel('Deployments', ['docs-agent', 'docs_agent']);
    await panel.send('What is a thread?');
    assert.equal(await panel.outcome(), 'Done');
    await panel.waitForAnswer(/A thread is a container/);
    const traces = await workbench.view('Traces');
    await traces.waitForText(/^▾ docs-agent[^\n]*\n {2}▸ What is a thread\? · docs_agent/, 20_000);
    assert.deepEqual(workbench.problems(), []);
  });
});
