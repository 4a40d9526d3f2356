import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { pythonLines, requirePython, servablePythonProject } from '../support/python-projects.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { patience } from '../support/wait.ts';

const run = promisify(execFile);

for (const line of pythonLines) {
  describe(`the real Python SDKs of ${line}`, function () {
    this.timeout(120_000);
    let python: string;
    let served: ServedProject;

    before(async function () {
      python = await requirePython(this, line);
      served = await serveProject({ given: await servablePythonProject(python) });
    });
    after(() => served?.[Symbol.asyncDispose]());

    it('run, stream, interrupt, and find the trace', async () => {
      const env = {
        ...process.env,
        AGENT_URL: served.url,
        PLATFORM_URL: served.platformUrl,
        PLATFORM_KEY: served.apiKey,
      };
      const script = path.join(import.meta.dirname, 'python_sdks.py');
      const { stderr } = await run(python, ['-W', 'ignore', script, '-v'], {
        env,
        timeout: 100_000 * patience,
      }).catch((error: { stderr?: string }) => ({ stderr: error.stderr ?? String(error) }));
      // Earlier SDKs skip the tests of the v2 protocol, which they do not have; the newest has to pass them.
      const passed = line === pythonLines.at(-1) ? /\nOK\s*$/ : /\nOK(?: \(skipped=4\))?\s*$/;
      assert.match(stderr, passed, stderr);
    });
  });
}
