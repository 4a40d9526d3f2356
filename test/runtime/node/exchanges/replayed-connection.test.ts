import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { ReplayedConnection } from '../../../../src/runtime/node/exchanges/replayed-connection.ts';

async function* piecesOf(count: number) {
  for (let at = 0; at < count; at++) yield Buffer.alloc(100_000, at);
}

describe('a replayed connection', () => {
  it('waits for a slow reader without adding listeners', async () => {
    const connection = new ReplayedConnection();
    const played = connection.play(piecesOf(30));
    const most: number[] = [];
    let bytes = 0;
    for await (const piece of connection) {
      bytes += piece.length;
      most.push(connection.listenerCount('close'));
      await turn();
    }
    await played;
    assert.equal(bytes, 3_000_000);
    assert.ok(Math.max(...most) < 5, `${Math.max(...most)} listeners`);
  });

  it('stops when it is closed while it waits', async () => {
    const connection = new ReplayedConnection();
    const played = connection.play(piecesOf(30));
    await turn();
    connection.destroy();
    await played;
  });
});
