import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { HARBOR_PROTOCOL } from '../../src/contract/harbor.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { ensureServer, type LauncherOptions } from '../../src/launcher/ensure-server.ts';
import { HeadStart } from '../../src/launcher/head-start.ts';
import { isOlder } from '../../src/launcher/is-older.ts';
import { LaunchError, type LaunchProblem } from '../../src/launcher/launch-error.ts';
import { Presence } from '../../src/launcher/presence.ts';
import { endServer, findServer } from '../../src/launcher/running-server.ts';
import { startServer } from '../../src/launcher/start-server.ts';
import { type DataFolder, dataFolder } from '../support/data-folder.ts';
import { bundle } from '../support/dist.ts';
import { type HttpPeer, httpPeer, json } from '../support/http-peer.ts';
import { isAlive } from '../support/process-tree.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { unusedPort } from '../support/unused-port.ts';
import { eventually } from '../support/wait.ts';

const version = '0.1.0';

describe('the launcher', function () {
  this.timeout(60_000);
  let dispatcher: Dispatcher;
  beforeEach(() => {
    dispatcher = createDispatcher({});
  });
  afterEach(() => dispatcher.destroy());

  function options(folder: { path: string }, more: Partial<LauncherOptions> = {}): LauncherOptions {
    return { dataDir: folder.path, serverPath: bundle('server.js'), version, dispatcher, ...more };
  }

  async function problemOf(launch: Promise<unknown>, problem: LaunchProblem): Promise<LaunchError> {
    const error = await launch.then(
      () => assert.fail('there is a server'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof LaunchError, String(error));
    assert.equal(error.problem, problem, error.message);
    return error;
  }

  it('starts a server and connects to it', async () => {
    await using folder = await dataFolder();
    const server = await ensureServer(options(folder));
    assert.equal(server.handshake.pid, server.pid);
    assert.equal(server.handshake.harbor_protocol, HARBOR_PROTOCOL);
    assert.match(server.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.ok(isAlive(server.pid));
  });

  it('uses a server that was started early, which opens its folder while it loads', async () => {
    await using folder = await dataFolder();
    const config_path = join(folder.path, 'langgraph.json');
    await mkdir(folder.path, { recursive: true });
    await writeFile(config_path, '{}');
    const { url, [Symbol.asyncDispose]: leave } = await httpPeer(() => {});
    const port = Number(new URL(url).port);
    await leave();
    const firstFolder = { config_path, holder: 'nobody yet', port };
    const headStart = await HeadStart.begin({ ...options(folder), firstFolder });
    const server = await ensureServer(options(folder, { headStart }));
    assert.equal(headStart.take(), undefined);
    const { harbor } = clientOf(server, dispatcher);
    const { deployment_url } = await harbor.openFolder({ body: { config_path } });
    assert.equal(new URL(deployment_url).port, String(port));
    await eventually('the project without graphs has failed', async () => {
      const { runtime } = await harbor.openFolder({ body: { config_path } });
      return runtime.state === 'failed';
    });
    const none = await HeadStart.begin(options(folder));
    assert.equal(none.take(), undefined);
  });

  it('finds a running server', async () => {
    await using folder = await dataFolder();
    const first = await ensureServer(options(folder));
    const second = await ensureServer(options(folder));
    assert.equal(second.pid, first.pid);
  });

  it('ends with one server when many start at the same time', async () => {
    await using folder = await dataFolder();
    const servers = await Promise.all(Array.from({ length: 4 }, () => ensureServer(options(folder))));
    assert.equal(new Set(servers.map(({ pid }) => pid)).size, 1);
    assert.equal(new Set(servers.map(({ apiKey }) => apiKey)).size, 1);
  });

  for (const [where, connect] of [
    ['is found', ensureServer],
    ['answers while it starts', startServer],
  ] as const) {
    it(`ends the server that it has started when another one ${where}`, async () => {
      await using folder = await dataFolder();
      await using program = await temporaryFolder();
      const idFile = join(program.path, 'pid');
      const serverPath = join(program.path, 'never-serves.mjs');
      await writeFile(
        serverPath,
        `import { writeFileSync } from 'node:fs';
        writeFileSync(${JSON.stringify(idFile)}, String(process.pid));
        setInterval(() => {}, 1_000);`,
      );
      const headStart = await HeadStart.begin(options(folder, { serverPath }));
      const pid = await eventually(
        'it has begun',
        () => Number(readFileSync(idFile, 'utf8')),
        (id) => id > 0,
      );
      const other = await ensureServer(options(folder));
      assert.equal((await connect(options(folder, { headStart }))).pid, other.pid);
      await eventually('it has ended', () => !isAlive(pid));
    });
  }

  it('starts another server for another data folder', async () => {
    await using one = await dataFolder();
    await using other = await dataFolder();
    const [a, b] = await Promise.all([ensureServer(options(one)), ensureServer(options(other))]);
    assert.notEqual(a.pid, b.pid);
    assert.notEqual(a.baseUrl, b.baseUrl);
  });

  it('creates the data folder, only for its owner', async function () {
    if (process.platform === 'win32') skip(this, 'Windows has no file modes');
    await using folder = await dataFolder();
    const path = join(folder.path, 'new', 'deeper');
    const server = await ensureServer(options({ path }));
    assert.equal(statSync(path).mode & 0o777, 0o700);
    assert.equal(statSync(join(path, 'server.json')).mode & 0o777, 0o600);
    await endServer(server, 'now', { dispatcher });
  });

  it('starts another after the previous one was killed, with the same URL and key', async () => {
    await using folder = await dataFolder();
    const first = await ensureServer(options(folder));
    process.kill(first.pid, 'SIGKILL');
    const second = await ensureServer(options(folder));
    assert.notEqual(second.pid, first.pid);
    assert.equal(second.baseUrl, first.baseUrl);
    assert.equal(second.apiKey, first.apiKey);
  });

  it('starts another while the previous one is still stopping', async () => {
    await using folder = await dataFolder();
    const first = await ensureServer(options(folder));
    process.kill(first.pid, 'SIGTERM');
    const second = await ensureServer(options(folder));
    const again = await ensureServer(options(folder));
    assert.ok(isAlive(again.pid));
    assert.ok(second.pid === again.pid || !isAlive(second.pid));
  });

  it('is not misled by a server file whose process ID belongs to another program', async () => {
    await using folder = await dataFolder();
    await using stranger = await httpPeer((_, response) => json(response, 404, {}));
    await announce(folder, { base_url: stranger.url });
    const server = await ensureServer(options(folder));
    assert.notEqual(server.baseUrl, stranger.url);
  });

  it('does not send its key to another program on the port of a dead server', async () => {
    await using folder = await dataFolder();
    await using stranger = await httpPeer((_, response) => json(response, 404, {}));
    await announce(folder, { base_url: stranger.url, pid: await unusedPid() });
    assert.equal(await findServer({ dataDir: folder.path, dispatcher }), undefined);
    assert.equal(stranger.seen.length, 0);
  });

  it('ignores a half-written server file', async () => {
    await using folder = await dataFolder();
    await writeFile(join(folder.path, 'server.json'), '{"base_url": "http://127');
    assert.ok(await ensureServer(options(folder)));
  });

  it('reports that the data folder cannot be created', async () => {
    await using folder = await dataFolder();
    const file = join(folder.path, 'file');
    await writeFile(file, '');
    const error = await problemOf(ensureServer(options({ path: join(file, 'data') })), 'data-folder');
    assert.match(error.message, /cannot write to its data folder .*data: a file with this name exists/);
  });

  it('reports a read-only data folder', async function () {
    if (process.platform === 'win32') skip(this, 'Windows has no read-only folders');
    if (process.getuid?.() === 0) skip(this, 'root can write to a read-only folder');
    await using folder = await dataFolder();
    const path = join(folder.path, 'read-only');
    await mkdir(path);
    await chmod(path, 0o500);
    const error = await problemOf(ensureServer(options({ path })), 'data-folder');
    assert.match(error.message, /cannot write to its data folder .*: permission denied/);
  });

  it('reports why the server died, from its log', async () => {
    await using folder = await dataFolder();
    await writeFile(join(folder.path, 'state.db'), 'this is no database'.repeat(100));
    const error = await problemOf(ensureServer(options(folder)), 'data-folder');
    assert.match(error.message, /state\.db is damaged .*not a database/);
    assert.doesNotMatch(error.message, /\n/);
  });

  it('reports a port in use', async () => {
    await using folder = await dataFolder();
    await using taken = await httpPeer(() => {});
    const port = Number(new URL(taken.url).port);
    const error = await problemOf(ensureServer(options(folder, { port })), 'port-taken');
    assert.match(error.message, new RegExp(`Port ${port} is in use`));
  });

  it('keeps the requested port in the folder, for servers that are started without it', async () => {
    await using folder = await dataFolder();
    const port = await unusedPort();
    const first = await ensureServer(options(folder, { port }));
    assert.equal(first.baseUrl, `http://127.0.0.1:${port}`);
    process.kill(first.pid, 'SIGKILL');
    const second = await ensureServer(options(folder));
    assert.notEqual(second.pid, first.pid);
    assert.equal(second.baseUrl, first.baseUrl);
  });

  it('moves an unused server to the requested port, and reports one in use', async () => {
    await using folder = await dataFolder();
    const first = await ensureServer(options(folder));
    const port = await unusedPort();
    const present = new Presence({ client: 'somebody', launcher: options(folder) });
    await present.start();
    const error = await problemOf(ensureServer(options(folder, { port })), 'other-port');
    assert.ok(error.message.includes(`already running at ${first.baseUrl}`), error.message);
    assert.match(error.message, new RegExp(`port ${port}\\. Stop what uses it, or leave out --port`));
    await present.close();
    const moved = await eventually(
      'the server is not in use',
      () => ensureServer(options(folder, { port })).catch(() => undefined),
      (server) => server !== undefined,
    );
    assert.equal(moved?.baseUrl, `http://127.0.0.1:${port}`);
    assert.equal((await ensureServer(options(folder))).baseUrl, moved?.baseUrl);
  });

  it('reports an executable that cannot be run', async () => {
    await using folder = await dataFolder();
    const executable = { command: join(folder.path, 'no-such-node'), environment: {} };
    const error = await problemOf(ensureServer(options(folder, { executable })), 'executable');
    assert.match(error.message, /Could not run .*no-such-node/);
  });

  it('reports a server that does not answer, with the end of its log', async () => {
    await using folder = await dataFolder();
    const serverPath = join(folder.path, 'stuck.mjs');
    await writeFile(
      serverPath,
      "console.log('waiting for the moon'); setTimeout(() => process.exit(1), 60_000);",
    );
    // On a busy machine, Node may need longer to start, and has printed nothing yet.
    for (let seconds = 1.5; ; seconds *= 2) {
      const timeoutMs = seconds * 1_000;
      const error = await problemOf(ensureServer(options(folder, { serverPath, timeoutMs })), 'timeout');
      const said = `did not answer within ${seconds} s.`;
      assert.ok(error.message.includes(said), error.message);
      if (seconds < 24 && !error.message.includes('moon')) continue;
      assert.ok(error.message.includes(`${said} Last line of its log: waiting for the moon`), error.message);
      break;
    }
  });

  it('can be aborted while it waits', async () => {
    await using folder = await dataFolder();
    const serverPath = join(folder.path, 'stuck.mjs');
    await writeFile(serverPath, 'console.log(process.pid); setTimeout(() => {}, 30_000);');
    const given = new AbortController();
    const refused = assert.rejects(
      ensureServer(options(folder, { serverPath, signal: given.signal })),
      /abort/i,
    );
    const started = await eventually('what it started runs', () =>
      Number(readFileSync(join(folder.path, 'server.log'), 'utf8')),
    );
    given.abort();
    await refused;
    await eventually('what it started has ended', () => !isAlive(started));
  });

  describe('with servers of other versions', () => {
    it('replaces an unused older server', async () => {
      await using folder = await dataFolder();
      const older = await ensureServer(options(folder));
      const newer = await ensureServer(options(folder, { version: '99.0.0' }));
      assert.notEqual(newer.pid, older.pid);
      assert.ok(!isAlive(older.pid));
    });

    it('uses an older server that is in use, if its protocol is the same', async () => {
      await using folder = await dataFolder();
      await using older = await serverOf('0.0.1', HARBOR_PROTOCOL);
      await announce(folder, { base_url: older.url });
      const found = await ensureServer(options(folder));
      assert.equal(found.baseUrl, older.url);
      assert.deepEqual(
        older.seen.map(({ method, url, body }) => `${method} ${url} ${body}`),
        ['GET /harbor/handshake ', 'POST /harbor/shutdown {"when":"unused"}'],
      );
    });

    it('trusts the server’s own answer, not the file of its predecessor', async () => {
      await using folder = await dataFolder();
      await using successor = await serverOf(version, HARBOR_PROTOCOL);
      // Another process, because the folder ends the process that is announced in it.
      const bystander = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' });
      assert.ok(bystander.pid);
      await announce(folder, { base_url: successor.url, pid: bystander.pid });
      const found = await ensureServer(options(folder));
      assert.equal(found.pid, process.pid);
    });

    it('fails immediately when an older protocol is still in use', async () => {
      await using folder = await dataFolder();
      await using older = await serverOf('0.0.1', HARBOR_PROTOCOL - 1);
      await announce(folder, { base_url: older.url });
      const error = await problemOf(ensureServer(options(folder)), 'server-too-old');
      assert.match(error.message, /An older Agent Harbor server \(0\.0\.1\) is still in use/);
    });

    it('asks for an update when the server’s protocol is newer', async () => {
      await using folder = await dataFolder();
      await using newer = await serverOf('2.0.0', HARBOR_PROTOCOL + 1);
      await announce(folder, { base_url: newer.url });
      const error = await problemOf(ensureServer(options(folder)), 'client-too-old');
      assert.match(
        error.message,
        /server \(2\.0\.0\) is newer than this client \(0\.1\.0\)\. Update this client/,
      );
    });

    it('compares versions by their numbers', () => {
      assert.equal(isOlder('0.9.0', '0.10.0'), true);
      assert.equal(isOlder('1.0.0', '0.10.0'), false);
      assert.equal(isOlder('1.2.3', '1.2.3'), false);
      assert.equal(isOlder('1.2', '1.2.1'), true);
      assert.equal(isOlder('1.2.3-beta', '1.2.3'), false);
    });
  });

  it('writes the server’s output to its log', async () => {
    await using folder = await dataFolder();
    await ensureServer(options(folder));
    const log = readFileSync(join(folder.path, 'server.log'), 'utf8');
    assert.match(log, /"msg":"ready"/);
    assert.doesNotMatch(log, /ExperimentalWarning/);
  });

  async function announce(folder: DataFolder, file: { base_url: string; pid?: number }): Promise<void> {
    const announced = {
      api_key: 'ah_key',
      pid: process.pid,
      version,
      harbor_protocol: HARBOR_PROTOCOL,
      started_at: new Date().toISOString(),
      ...file,
    };
    await writeFile(join(folder.path, 'server.json'), JSON.stringify(announced));
  }

  /** The handshake of a server of another version that is in use. */
  function serverOf(other: string, protocol: number): Promise<HttpPeer> {
    const handshake = {
      version: other,
      harbor_protocol: protocol,
      pid: process.pid,
      data_dir: '',
      base_url: '',
      started_at: '',
    };
    return httpPeer((request, response) =>
      request.method === 'GET' ? json(response, 200, handshake) : json(response, 202, { ending: false }),
    );
  }

  async function unusedPid(): Promise<number> {
    const { spawn } = await import('node:child_process');
    const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
    await new Promise((resolve) => child.once('exit', resolve));
    return child.pid ?? 0;
  }
});
