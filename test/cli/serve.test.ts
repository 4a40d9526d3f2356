import assert from 'node:assert/strict';
import { z } from 'zod';
import { cli, startCli } from '../support/cli.ts';
import { dataFolder } from '../support/data-folder.ts';
import { unusedPort } from '../support/unused-port.ts';
import { eventually } from '../support/wait.ts';

const Ready = z.object({ base_url: z.string(), pid: z.int() });

describe('agent-harbor serve', function () {
  this.timeout(60_000);

  it('keeps its port across a crash, says when it is back, and refuses another port while it is in use', async () => {
    await using folder = await dataFolder();
    const port = await unusedPort();
    const own = ['--data-dir', folder.path];
    await using serve = startCli(['serve', '--port', String(port), '--json', ...own]);
    const { base_url, pid } = Ready.parse(JSON.parse(await serve.said('\n')));
    assert.equal(base_url, `http://127.0.0.1:${port}`);
    const other = await cli(['serve', '--port', String(port === 65_535 ? port - 1 : port + 1), ...own]);
    assert.equal(other.code, 1);
    assert.match(other.stderr, new RegExp(`already running at ${base_url} and in use, .*leave out --port`));
    process.kill(pid, 'SIGKILL');
    await eventually(
      'it says that the server is back',
      () => serve.stderr,
      (text) => text.includes(`The server is running again at ${base_url}.`),
      20_000,
    );
    assert.equal((await serve.interrupt()).code, 0);
  });
});
