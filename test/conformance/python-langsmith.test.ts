import assert from 'node:assert/strict';
import { type Platform, startPlatform } from '../support/platform.ts';
import { requirePython } from '../support/python-projects.ts';
import { runPythonTests } from './python-tests.ts';

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
    const stderr = await runPythonTests(python, 'python_langsmith.py', {
      PLATFORM_URL: platform.url,
      PLATFORM_KEY: platform.workspace.key,
    });
    assert.match(stderr, /\nOK\s*$/, stderr);
  });
});
