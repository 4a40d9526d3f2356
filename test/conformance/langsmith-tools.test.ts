import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../support/cache.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { interpreterIn, makeEnvironment, withPython } from '../support/python-environments.ts';
import { patience } from '../support/wait.ts';

const run = promisify(execFile);

describe('programs of others that read a LangSmith', function () {
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

  it('are langsmith-mcp-server and langsmith-fetch, which find traces, threads, datasets and experiments', async () => {
    const env = {
      ...process.env,
      LANGSMITH_ENDPOINT: platform.url,
      LANGSMITH_API_KEY: platform.workspace.key,
    };
    const script = path.join(import.meta.dirname, 'python_langsmith_tools.py');
    const { stderr } = await run(python, ['-W', 'ignore', script, '-v'], {
      env,
      timeout: 150_000 * patience,
    }).catch((error: { stderr?: string }) => ({ stderr: error.stderr ?? String(error) }));
    assert.match(stderr, /\nOK\s*$/, stderr);
  });
});
