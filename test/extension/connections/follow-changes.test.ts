import assert from 'node:assert/strict';
import type { Change } from '../../../src/contract/harbor.ts';
import { followChanges } from '../../../src/extension/connections/follow-changes.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';
import { eventually } from '../../support/wait.ts';

describe('following the changes of a platform', function () {
  this.timeout(120_000);
  let server: ServerProcess;
  let heard: Change[];
  let following: AbortController;
  let ended: Promise<void>;
  let names = 0;

  before(async () => {
    server = await serverProcess();
  });
  after(() => server?.[Symbol.asyncDispose]());

  beforeEach(() => {
    heard = [];
    following = new AbortController();
    const onChanges = (changes: readonly Change[]) => void heard.push(...changes);
    ended = followChanges(server.client, { signal: following.signal, onChanges, pauseMs: 50 });
  });
  afterEach(() => following.abort());

  /**
   * Repeats a change until it is reported, because a stream that is still being opened gets only later
   * changes.
   */
  const hearsOfChanges = () => {
    const before = heard.length;
    return eventually(
      'a change to be reported',
      async () => {
        await server.client.datasets.create({ body: { name: `dataset ${names++}` } });
        return heard.length;
      },
      (count) => count > before,
    );
  };

  it('continues with the server that is started after the first', async () => {
    await hearsOfChanges();
    await server.stop();
    await server.start();
    await hearsOfChanges();
  });

  it('ends with its connection, and reports nothing more', async () => {
    await hearsOfChanges();
    following.abort();
    await ended;
    const count = heard.length;
    const other = new AbortController();
    let isHeard = false;
    const onChanges = () => {
      isHeard = true;
    };
    const others = followChanges(server.client, { signal: other.signal, onChanges, pauseMs: 50 });
    await eventually('another one to report a change', async () => {
      await server.client.datasets.create({ body: { name: `dataset ${names++}` } });
      return isHeard || undefined;
    });
    other.abort();
    await others;
    assert.equal(heard.length, count);
  });

  it('can be ended while the server is away', async () => {
    await hearsOfChanges();
    await server.stop();
    following.abort();
    await ended;
    await server.start();
  });
});
