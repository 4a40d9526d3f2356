import assert from 'node:assert/strict';
import { pythonLines, requirePython, servablePythonProject } from '../support/python-projects.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { runPythonTests } from './python-tests.ts';

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
      const stderr = await runPythonTests(python, 'python_sdks.py', {
        AGENT_URL: served.url,
        PLATFORM_URL: served.platformUrl,
        PLATFORM_KEY: served.apiKey,
      });
      // Earlier SDKs skip the tests of the v2 protocol, which they do not have; the newest has to pass them.
      const passed = line === pythonLines.at(-1) ? /\nOK\s*$/ : /\nOK(?: \(skipped=7\))?\s*$/;
      assert.match(stderr, passed, stderr);
    });
  });
}
