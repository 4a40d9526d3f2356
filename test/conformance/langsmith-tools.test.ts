import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { projectRoot } from '../support/cache.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { interpreterIn, makeEnvironment, withPython } from '../support/python-environments.ts';
import { runPythonTests } from './python-tests.ts';

describe('third-party programs that read from LangSmith', function () {
  this.timeout(10 * 60_000);
  let python: string;
  let platform: Platform;

  before(async function () {
    const file = path.join(projectRoot, 'test', 'fixtures', 'clients-python', 'clients.txt');
    python = await withPython(this, async () =>
      interpreterIn(await makeEnvironment('python-clients', await readFile(file, 'utf8'))),
    );
    platform = await startPlatform();
  });
  after(() => platform?.close());

  it('find traces, threads, datasets and experiments (langsmith-mcp-server, langsmith-fetch)', async () => {
    const stderr = await runPythonTests(python, 'python_langsmith_tools.py', {
      LANGSMITH_ENDPOINT: platform.url,
      LANGSMITH_API_KEY: platform.workspace.key,
    });
    assert.match(stderr, /\nOK\s*$/, stderr);
  });
});
