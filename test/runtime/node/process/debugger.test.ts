import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { projectRoot } from '../../../support/cache.ts';

const run = promisify(execFile);
const module = pathToFileURL(path.join(projectRoot, 'src', 'runtime', 'node', 'process', 'debugger.ts')).href;

describe('the debugger of a Node process', () => {
  /** The message when it is opened in a new process, in which nothing is open yet. */
  async function opened(before: string): Promise<string> {
    const script = `import { openDebugger } from ${JSON.stringify(module)};
      ${before}
      console.log(await openDebugger().then(({ address }) => address, (error) => error.message));
      process.exit(0);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
    return stdout.trim();
  }

  it('opens on a free port of this machine', async () => {
    assert.match(await opened(''), /^ws:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]{36}$/);
  });

  it('says what to do if Node was built without it', async () => {
    const without = "Object.defineProperty(process.features, 'inspector', { value: false });";
    const message = await opened(without);
    assert.match(
      message,
      /^Node .* was built without its inspector and cannot be debugged\. Put another Node/,
    );
  });

  it('uses the one that the user has opened, at whatever port', async () => {
    const address = await opened("(await import('node:inspector')).open(0, '127.0.0.1');");
    assert.match(address, /^ws:\/\/127\.0\.0\.1:\d+\//);
  });
});
