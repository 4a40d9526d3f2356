import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../support/cache.ts';

const PROGRAM = `
const { serveStdio } = await import(process.argv[1]);
const unused = async () => { throw new Error('No tool is called.'); };
const context = {
  signal: AbortSignal.abort(),
  config: unused,
  platform: unused,
  deployment: unused,
  folder: unused,
  serve: unused,
  describe: unused,
  tracingProject: unused,
};
await serveStdio(context, { version: '1', allowed: 'runs' });
process.stderr.write('It has ended.');
process.exit();
`;

describe('serving tools on standard input and output', () => {
  it('ends at once if it was interrupted before', async () => {
    const module = pathToFileURL(path.join(projectRoot, 'src/coding-agents/serve-stdio.ts')).href;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM, module], {
      // The test never closes standard input, and kills the process if it waits for that.
      timeout: 20_000,
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await once(child, 'close');
    assert.match(said, /It has ended\.$/);
  }).timeout(30_000);
});
