import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { DataFolder } from '../../src/server/data-folder.ts';
import { Origin } from '../../src/server/http/origin.ts';
import { makeLogger } from '../../src/server/logger.ts';
import { Server } from '../../src/server/server.ts';
import type { AreaTimes } from '../../src/server/server-options.ts';
import { serverProcess } from '../support/control-plane/server-process.ts';
import { bundle } from '../support/dist.ts';
import { isAlive } from '../support/process-tree.ts';
import { serverPrograms } from '../support/served-project.ts';
import { serverOptions } from '../support/server-options.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually, patience } from '../support/wait.ts';

/** The longest time that a timer takes. */
const NEVER: AreaTimes = { afterGraphsMs: 2 ** 31 - 1, atLatestMs: 2 ** 31 - 1 };

describe('a server that is starting', function () {
  this.timeout(60_000);

  it('answers requests that arrived early, instead of a 404 that tracing clients would consider permanent', async () => {
    await using folder = await temporaryFolder();
    const free = await Origin.listen(0, () => {});
    const { port } = free;
    await free.close();
    const ready = Server.start({
      ...serverOptions,
      programs: await serverPrograms(),
      folder: await DataFolder.open(folder.path),
      logger: makeLogger({ level: 'silent' }),
      port,
    });
    const started = ready.then(() => true);
    const seen: number[] = [];
    do {
      const answer = await fetch(`http://127.0.0.1:${port}/info`).catch(() => undefined);
      if (answer !== undefined) seen.push(answer.status);
    } while (!(await Promise.race([started, turn(false)])));
    await (await ready).stop();
    assert.deepEqual([...new Set(seen)], [200]);
  });

  describe('for a folder that never loads', () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    let server: Server;
    let url: string;
    let key: Record<string, string>;
    let stopping: Promise<void> | undefined;
    const stop = () => (stopping ??= server.stop());

    const start = async (areaTimes?: AreaTimes) => {
      stopping = undefined;
      folder = await temporaryFolder();
      const configPath = path.join(folder.path, 'langgraph.json');
      await writeFile(
        path.join(folder.path, 'slow.mjs'),
        'await new Promise(() => setInterval(() => {}, 1_000));',
      );
      await writeFile(
        configPath,
        JSON.stringify({ graphs: { none: './none.mjs:graph' }, auth: { path: './slow.mjs:auth' } }),
      );
      server = await Server.start({
        ...serverOptions,
        programs: await serverPrograms(),
        folder: await DataFolder.open(path.join(folder.path, 'data')),
        logger: makeLogger({ level: 'silent' }),
        port: 0,
        firstFolder: { config_path: configPath, port: 0 },
        areaTimes,
      });
      url = server.baseUrl;
      key = { 'x-api-key': server.apiKey };
    };
    const isReady = async () => (await fetch(`${url}/ready`)).status === 200;
    afterEach(async () => {
      await stop();
      await folder[Symbol.asyncDispose]();
    });

    it('answers for the rest of the platform as soon as it is asked', async () => {
      await start(NEVER);
      const asked = ['/info', '/sessions', '/v2/deployments', '/openapi.json', '/docs', '/workspaces'];
      const answers = await Promise.all(asked.map((place) => fetch(`${url}${place}`, { headers: key })));
      assert.deepEqual(
        answers.map(({ status }) => status),
        asked.map(() => 200),
      );
      const document = await fetch(`${url}/openapi.json`);
      assert.match(await document.text(), /\/v2\/deployments/);
      assert.equal((await fetch(`${url}/nowhere`, { headers: key })).status, 404);
    });

    it('answers the preflight requests of a page', async () => {
      await start(NEVER);
      const origin = 'http://localhost:3000';
      const answer = await fetch(`${url}/v2/deployments`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'x-api-key',
        },
      });
      assert.equal(answer.status, 204);
      assert.equal(answer.headers.get('access-control-allow-origin'), origin);
    });

    it('is ready after a while without being asked', async () => {
      await start();
      assert.equal((await fetch(`${url}/ok`)).status, 200);
      await eventually('it is ready', isReady);
    });

    it('stops without starting unrequested parts', async () => {
      await start(NEVER);
      assert.equal((await fetch(`${url}/ok`)).status, 200);
      assert.equal(await isReady(), false);
      await stop();
      await assert.rejects(fetch(`${url}/ok`));
    });
  });

  it('stops with one sentence when its data folder is deleted, and leaves a new one alone', async function () {
    if (process.platform === 'win32') skip(this, 'Windows removes nothing that is open');
    await using server = await serverProcess();
    const { pid } = server;
    await rm(server.dataDir, { recursive: true });
    await server.start();
    assert.notEqual(server.pid, pid);
    const made = await server.fetch('/sessions', { method: 'POST', body: { name: 'kept' } });
    assert.equal(made.status, 200);
    await eventually('the one without a folder has ended', () => !isAlive(pid));
    assert.match(await server.log(), /^The data folder .* was deleted or replaced/m);
    await server.stop();
    await server.start();
    assert.match(await (await server.fetch('/sessions')).text(), /kept/);
  });

  it('makes no file for traces before there is something to store', async () => {
    await using server = await serverProcess();
    const file = path.join(server.dataDir, 'traces.db');
    assert.equal(existsSync(file), false);
    const made = await server.fetch('/sessions', { method: 'POST', body: { name: 'first' } });
    assert.equal(made.status, 200);
    assert.match(await (await server.fetch('/sessions')).text(), /first/);
    assert.equal(existsSync(file), true);
  });

  for (const [what, damage] of [
    [
      'traces.db is damaged',
      (dir: string) => writeFile(path.join(dir, 'traces.db'), 'no database '.repeat(999)),
    ],
    ['a file stands where blobs go', (dir: string) => writeFile(path.join(dir, 'blobs'), '')],
  ] as const) {
    it(`stops with one sentence and the exit code of a data folder problem when ${what}`, async () => {
      await using folder = await temporaryFolder();
      await damage(folder.path);
      const { status, stderr } = spawnSync(
        process.execPath,
        [bundle('server.js'), '--data-dir', folder.path],
        { encoding: 'utf8', timeout: 30_000 * patience },
      );
      assert.equal(status, 5, stderr);
      const said = stderr.split('\n').filter((line) => line.includes(folder.path) && !line.startsWith('{'));
      assert.equal(said.length, 1, stderr);
      assert.doesNotMatch(stderr, /the server failed/);
    });
  }
});
