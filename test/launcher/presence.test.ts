import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import type { Change } from '../../src/contract/harbor.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import type { LauncherOptions } from '../../src/launcher/ensure-server.ts';
import { Presence, type PresenceState } from '../../src/launcher/presence.ts';
import { dataFolder } from '../support/data-folder.ts';
import { bundle } from '../support/dist.ts';
import { isAlive } from '../support/process-tree.ts';
import { eventually, patience } from '../support/wait.ts';

describe('presence', function () {
  this.timeout(60_000);
  let dispatcher: Dispatcher;
  let states: PresenceState[];
  let changes: Change[];
  beforeEach(() => {
    dispatcher = createDispatcher({});
    states = [];
    changes = [];
  });
  afterEach(() => dispatcher.destroy());

  function presence(dataDir: string, more: Partial<LauncherOptions> = {}, holder?: string) {
    const made = new Presence({
      client: 'test',
      holder,
      launcher: { dataDir, serverPath: bundle('server.js'), version: '0.1.0', dispatcher, ...more },
      onState: (state) => states.push(state),
      onChanges: (batch) => changes.push(...batch),
    });
    return Object.assign(made, { [Symbol.asyncDispose]: () => made.close() });
  }

  const seen = () => states.map(({ state }) => state);

  it('starts a server and keeps it running', async () => {
    await using folder = await dataFolder();
    const one = presence(folder.path, { graceSeconds: 0 });
    const { pid } = await one.start();
    assert.deepEqual(seen(), ['starting', 'connected']);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.ok(isAlive(pid));
    await one.close();
    assert.equal(one.state.state, 'closed');
    await eventually('the server has ended by itself', () => !isAlive(pid));
  });

  it('restarts a killed server', async () => {
    await using folder = await dataFolder();
    await using one = presence(folder.path);
    const first = await one.start();
    process.kill(first.pid, 'SIGKILL');
    const second = await eventually(
      'another server',
      () => one.state,
      (state) => state.state === 'connected' && state.server.pid !== first.pid,
    );
    assert.ok(second.state === 'connected');
    assert.equal(second.server.baseUrl, first.baseUrl);
    assert.deepEqual(seen(), ['starting', 'connected', 'reconnecting', 'connected']);
  });

  it('ends up at the same server as other clients after a crash', async () => {
    await using folder = await dataFolder();
    await using one = presence(folder.path);
    await using other = presence(folder.path);
    const [{ pid }] = await Promise.all([one.start(), other.start()]);
    process.kill(pid, 'SIGKILL');
    const pids = await eventually(
      'both are connected again',
      () => [one.state, other.state].map((state) => (state.state === 'connected' ? state.server.pid : pid)),
      (found) => found.every((at) => at !== pid),
    );
    assert.equal(pids[0], pids[1]);
  });

  it('says whether any client keeps the server running', async () => {
    await using folder = await dataFolder();
    await using one = presence(folder.path);
    const server = await one.start();
    const { harbor } = clientOf(server, dispatcher);
    const staysUp = async () => (await harbor.handshake()).stays_up;
    assert.equal(await staysUp(), false, 'a client that may leave');
    const keeper = new Presence({
      client: 'test',
      keeps: true,
      launcher: { dataDir: folder.path, serverPath: bundle('server.js'), version: '0.1.0', dispatcher },
    });
    await keeper.start();
    assert.equal(await staysUp(), true);
    await keeper.close();
    await eventually('it has heard of that', async () => (await staysUp()) === false);
  });

  it('receives changes', async () => {
    await using folder = await dataFolder();
    await using one = presence(folder.path);
    const server = await one.start();
    const config = join(folder.path, 'langgraph.json');
    await writeFile(config, '{"graphs": {"agent": "./agent.ts:graph"}}');
    const live = await clientOf(server, dispatcher).harbor.openFolder({
      body: { config_path: config, port: 0 },
    });
    await eventually('the change', () =>
      changes.some(({ resource, id }) => resource === 'deployment' && id === live.deployment_id),
    );
  });

  it('keeps the folders it opened until it has been away for a while', async () => {
    await using folder = await dataFolder();
    const holderGraceSeconds = Math.ceil(2 * patience);
    await using watcher = presence(folder.path, { holderGraceSeconds });
    const server = await watcher.start();
    const config = join(folder.path, 'langgraph.json');
    await writeFile(config, '{"graphs": {"agent": "./agent.ts:graph"}}');
    const window = () => presence(folder.path, {}, 'window');
    const first = window();
    await first.start();
    const { harbor } = clientOf(server, dispatcher);
    const { deployment_id } = await harbor.openFolder({
      body: { config_path: config, port: 0, holder: 'window' },
    });
    await first.close();
    const again = window();
    await again.start();
    await new Promise((resolve) => setTimeout(resolve, 1_000 * (holderGraceSeconds + 1)));
    const params = { deployment_id };
    assert.ok(await harbor.getFolder({ params }), 'it came back in time');
    await again.close();
    await eventually('it is released', () =>
      harbor.getFolder({ params }).then(
        () => false,
        () => true,
      ),
    );
  });

  it('fails with a reason, and connects on a retry when the reason is gone', async () => {
    await using folder = await dataFolder();
    const blocked = join(folder.path, 'blocked');
    await writeFile(blocked, '');
    const dataDir = join(blocked, 'data');
    await using one = presence(dataDir, { graceSeconds: 0 });
    await assert.rejects(one.start(), /cannot write to its data folder/);
    assert.ok(one.state.state === 'failed');
    assert.match(one.state.reason, /a file with this name exists/);
    await rm(blocked);
    one.retry();
    assert.ok(await one.start());
  });

  it('stops when waiting for it is aborted', async () => {
    await using folder = await dataFolder();
    const stuck = join(folder.path, 'stuck.mjs');
    await writeFile(stuck, 'setTimeout(() => process.exit(1), 3_000);');
    const one = presence(folder.path, { serverPath: stuck });
    await assert.rejects(one.start(AbortSignal.timeout(300)), /closed/);
    await eventually('it is closed', () => one.state.state === 'closed');
  });

  it('fails immediately when the first server it starts dies', async () => {
    await using folder = await dataFolder();
    await writeFile(join(folder.path, 'state.db'), 'this is no database'.repeat(100));
    await using one = presence(folder.path);
    await assert.rejects(one.start(), /not a database/);
    assert.deepEqual(seen(), ['starting', 'failed']);
  });

  it('can be closed while it starts', async () => {
    await using folder = await dataFolder();
    const one = presence(folder.path, { graceSeconds: 0 });
    const starting = one.start();
    const closed = one.close();
    await assert.rejects(starting);
    await closed;
    assert.equal(one.state.state, 'closed');
  });
});
