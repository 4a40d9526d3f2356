import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { readServerFile } from '../../src/launcher/server-file.ts';
import { launchBrowser } from '../support/browser.ts';
import { projectRoot } from '../support/cache.ts';
import { isAlive, killTreeNow, processTree } from '../support/process-tree.ts';
import { skip } from '../support/skip.ts';
import { eventually, patience } from '../support/wait.ts';

describe('npm start', function () {
  this.timeout(120_000);
  let dataDir: string;
  let child: ChildProcess | undefined;

  function start(...args: string[]) {
    const script = path.join(projectRoot, 'scripts', 'start.ts');
    const started = spawn(process.execPath, [script, '--data-dir', dataDir, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    return started;
  }

  /** Waits for the first line that a process prints. @throws Error with its standard error if it ends without one */
  async function firstLine(started: ReturnType<typeof start>): Promise<string> {
    let errors = '';
    started.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const lines = createInterface({ input: started.stdout });
    const [line] = await Promise.race([once(lines, 'line'), once(started, 'close').then(() => [])]);
    if (line === undefined) throw new Error(`npm start ended: ${errors}`);
    return String(line);
  }

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'agent-harbor-start-'));
  });

  afterEach(async () => {
    if (child?.pid) killTreeNow([child.pid]);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  it('opens the example with the extension, only with the token in the address, and leaves nothing behind', async function () {
    if (process.platform === 'win32') skip(this, 'on Windows a program cannot send Ctrl-C to another one');
    const started = start();
    const url = new URL(await firstLine(started));
    assert.match(url.searchParams.get('folder') ?? '', /examples\/docs-agent$/);

    const stranger = await fetch(url.origin);
    assert.equal(stranger.status, 403);

    const browser = await launchBrowser();
    const page = await browser.newPage();
    await page.goto(url.href);
    const icon = page.locator('.part.activitybar .action-label[aria-label="Agent Harbor"]');
    await icon.click({ timeout: 30_000 * patience });
    await page.locator('.pane-header[aria-label="Deployments Section"]').waitFor();
    // The graph of the example has been loaded.
    await page
      .locator('.monaco-list-row')
      .getByText('docs_agent')
      .first()
      .waitFor({ timeout: 60_000 * patience });
    const server = await eventually('the server of the extension', () => readServerFile(dataDir));
    await browser.close();

    assert.ok(started.pid);
    const running = [...processTree([started.pid]), server.pid];
    assert.ok(running.length > 2);
    started.kill('SIGINT');
    const [code] = await once(started, 'close');
    assert.equal(code, 0);
    await eventually('no process is left', () => running.every((pid) => !isAlive(pid)));
  });

  it('says what is wrong with its arguments', async () => {
    const errors: string[] = [];
    for (const args of [['no/such/folder'], ['--port', 'eighty']]) {
      const started = start(...args);
      let output = '';
      started.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const [code] = await once(started, 'close');
      assert.equal(code, 1);
      errors.push(output);
    }
    assert.match(errors[0] ?? '', /Folder not found: .*such.*Usage: npm start -- FOLDER/);
    assert.match(errors[1] ?? '', /--port must be a number from 0 .* not eighty/);
  });
});
