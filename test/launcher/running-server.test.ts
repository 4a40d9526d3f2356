import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isAlive } from '../../src/launcher/process-life.ts';
import { killServer } from '../../src/launcher/running-server.ts';

/** Listens on request, and runs until it is killed. */
const PROGRAM = `
if (process.argv[1] === 'listen') require('node:net').createServer().listen(0, '127.0.0.1', function () {
  console.log(this.address().port);
});
else console.log('idle');
setInterval(() => {}, 1000);`;

describe('killing a server that does not answer', () => {
  let dataDir: string;
  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'agent-harbor-kill-'));
  });
  after(() => rm(dataDir, { recursive: true, force: true }));

  const writeServerFile = (pid: number, port: number) =>
    writeFile(
      path.join(dataDir, 'server.json'),
      JSON.stringify({
        ...{ base_url: `http://127.0.0.1:${port}`, api_key: 'k', pid, version: '0.2.0' },
        ...{ harbor_protocol: 1, started_at: new Date().toISOString() },
      }),
    );

  async function start(does: 'listen' | 'nothing'): Promise<{ pid: number; port: number; end(): void }> {
    const program = spawn(process.execPath, ['-e', PROGRAM, does]);
    const [said] = await once(program.stdout, 'data');
    return { pid: program.pid ?? assert.fail(), port: Number(said), end: () => program.kill('SIGKILL') };
  }

  it('ends the process that listens at its address', async () => {
    const server = await start('listen');
    await writeServerFile(server.pid, server.port);
    assert.equal(await killServer(dataDir), true);
    assert.equal(isAlive(server.pid), false);
  });

  it('spares another process that has reused the ID of an ended one', async () => {
    const other = await start('nothing');
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const address = free.address();
    assert.ok(typeof address === 'object' && address !== null);
    free.close();
    await once(free, 'close');
    await writeServerFile(other.pid, address.port);
    try {
      assert.equal(await killServer(dataDir), true);
      assert.equal(isAlive(other.pid), true);
    } finally {
      other.end();
    }
  });
});
