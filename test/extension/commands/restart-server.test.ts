import assert from 'node:assert/strict';
import type { Client } from '../../../src/client/client.ts';
import { restartServer } from '../../../src/extension/commands/connections/restart-server.ts';

describe('restarting the local server', () => {
  it('leaves the automatic start on when the server cannot be stopped', async () => {
    let isHeldBack = false;
    const autoStart = {
      holdBack: () => {
        isHeldBack = true;
      },
      release: () => {
        isHeldBack = false;
      },
    };
    const local = {
      stop: () => Promise.reject(new Error('It cannot be stopped.')),
      connect: (): Promise<Client> => Promise.reject(new Error('It was not started.')),
    };
    await assert.rejects(
      async () => restartServer({ connections: { local }, autoStart }),
      /cannot be stopped/,
    );
    assert.equal(isHeldBack, false);
  });
});
