import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Platform, startPlatform } from '../support/platform.ts';
import { requirePython } from '../support/python-projects.ts';
import { patience } from '../support/wait.ts';

const run = promisify(execFile);

describe('the langsmith client of Python', function () {
  this.timeout(120_000);
  let python: string;
  let platform: Platform;

  before(async function () {
    python = await requirePython(this, 'langgraph-1.2');
    platform = await startPlatform();
  });
  after(() => platform?.close());

  it('traces, batches, attaches, gives feedback, stores datasets and evaluates', async () => {
    const env = { ...process.env, PLATFORM_URL: platform.url, PLATFORM_KEY: platform.workspace.key };
    const script = path.join(import.meta.dirname, 'python_langsmith.py');
    const { stderr } = await run(python, ['-W', 'ignore', script, '-v'], {
      env,
      timeout: 100_000 * patience,
    }).catch((error: { stderr?: string }) => ({ stderr: error.stderr ?? String(error) }));
    assert.match(stderr, /\nOK\s*$/, stderr);
  });
});
