import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { projectRoot } from '../support/cache.ts';
import { runInExtensionHost } from '../vscode/host/host-run.ts';
import { inBrowser } from '../vscode/host/in-browser.ts';

const fixtures = path.join(projectRoot, 'test/fixtures');

describe('a mocha suite in the extension host', function () {
  this.timeout(120_000);

  async function run(file: string, grep?: string) {
    const lines: string[] = [];
    const result = await runInExtensionHost(inBrowser, {
      extension: path.join(fixtures, 'probe-extension'),
      tests: [path.join(fixtures, 'host-suite', file)],
      folder: tmpdir(),
      settings: { 'editor.tabSize': 7 },
      env: { PROBE_GREETING: 'hello' },
      grep,
      print: (line) => lines.push(line),
    });
    // Mocha colors its output if the environment says so, as in CI systems.
    return { result, printed: stripVTControlCharacters(lines.join('\n')) };
  }

  it('reports what passed, failed and was skipped, with positions in the source', async () => {
    const { result, printed } = await run('mixed.test.ts');
    assert.deepEqual(result, { kind: 'ran', passed: 2, failed: 1, skipped: 1 }, printed);
    assert.match(printed, /✔ has the real API and the extension under test/);
    assert.match(printed, /1\) can fail/);
    assert.match(printed, /at .*mixed\.test\.ts:21:12/);
  });

  it('runs only the requested tests', async () => {
    const { result } = await run('mixed.test.ts', 'needs of Node');
    assert.deepEqual(result, { kind: 'ran', passed: 1, failed: 0, skipped: 0 });
  });

  it('says why when a test file cannot be loaded', async () => {
    const { result } = await run('broken.test.ts');
    assert.equal(result.kind, 'broken');
    assert.match(result.kind === 'broken' ? result.reason : '', /This test file cannot be loaded\./);
  });
});
