import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { Connection, MessageTooLargeError } from '../../../src/runtime/protocol/connection.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Requests = { echo: { params: unknown; result: unknown } };
type Notifications = { log: { message: string } };

describe('a connection between server and runtime', function () {
  this.timeout(60_000);

  /** Both ends of a real pipe connection. */
  async function connected(onLog: (message: string) => void, onProtocolError: (error: Error) => void) {
    const folder = await temporaryFolder();
    const file = path.join(folder.path, 'pipe');
    const pipe = process.platform === 'win32' ? `\\\\.\\pipe\\${path.basename(folder.path)}` : file;
    const listening = createServer().listen(pipe);
    await once(listening, 'listening');
    const far = connect(pipe);
    const [near] = (await once(listening, 'connection')) as [Socket];
    const open = (stream: Socket) =>
      new Connection<Requests, Notifications, Requests, Notifications>({
        stream,
        requests: { echo: (params) => params },
        notifications: { log: ({ message }) => onLog(message) },
        onProtocolError,
      });
    return {
      near: open(near),
      far: open(far),
      write: (text: string) => far.write(text),
      async [Symbol.asyncDispose]() {
        near.destroy();
        far.destroy();
        listening.close();
        await folder[Symbol.asyncDispose]();
      },
    };
  }

  it('survives anything that the other side may send', async () => {
    const said: string[] = [];
    const problems: string[] = [];
    await using pair = await connected(
      (message) => said.push(message),
      ({ message }) => problems.push(message),
    );
    for (const line of [
      '{"method":"log"}',
      '{"method":"log","params":null}',
      '[{"method":"log","params":7},null,3]',
      '{"method":"toString","params":{}}',
      '{"id":99,"result":{}}',
      'nothing',
    ])
      pair.write(`${line}\n`);
    pair.far.notify('log', { message: 'still here' });
    assert.deepEqual(await pair.near.request('echo', { value: 1 }), { value: 1 });
    assert.deepEqual(
      said.filter((message) => message !== undefined),
      ['still here'],
    );
    assert.equal(problems.filter((message) => message.includes("'log' could not be read")).length, 2);
  });

  it('sends more in one turn than fits into one string', async () => {
    const lengths: number[] = [];
    await using pair = await connected(
      (message) => lengths.push(message.length),
      (error) => assert.fail(error),
    );
    const message = 'x'.repeat(60_000_000);
    for (let count = 0; count < 9; count++) pair.far.notify('log', { message });
    assert.equal(await pair.far.request('echo', 1), 1);
    assert.deepEqual(lengths, Array<number>(9).fill(message.length));
  });

  it('refuses a message that the other side could not read, and continues', async () => {
    await using pair = await connected(
      () => {},
      (error) => assert.fail(error),
    );
    const message = 'x'.repeat(460_000_000);
    assert.throws(() => pair.far.notify('log', { message }), MessageTooLargeError);
    await assert.rejects(pair.far.request('echo', message), /too large to send to the server/);
    assert.equal(await pair.far.request('echo', 2), 2);
  });
});
