import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Refresher } from '../../../../src/extension/panels/run/refresher.ts';

describe('a refresh after changes by others', () => {
  let isFree: boolean;
  let refreshes: (() => void)[];
  let errors: unknown[];
  let refresher: Refresher;

  beforeEach(() => {
    isFree = true;
    refreshes = [];
    errors = [];
    refresher = new Refresher({
      isFree: () => isFree,
      refresh: () => new Promise((resolve) => refreshes.push(resolve)),
      onError: (error) => errors.push(error),
    });
  });

  it('runs once more for all changes that arrive while it runs', async () => {
    refresher.want();
    refresher.want();
    refresher.want();
    assert.equal(refreshes.length, 1);
    refreshes[0]?.();
    await turn();
    assert.equal(refreshes.length, 2);
    refreshes[1]?.();
    await turn();
    assert.equal(refreshes.length, 2);
  });

  it('waits while it is blocked', async () => {
    isFree = false;
    refresher.want();
    assert.equal(refreshes.length, 0);
    isFree = true;
    refresher.refreshIfFree();
    assert.equal(refreshes.length, 1);
  });

  it('waits for the work that blocks it, even if that fails', async () => {
    const failing = refresher.blockDuring(async () => {
      refresher.want();
      assert.equal(refreshes.length, 0);
      throw new Error('in vain');
    });
    await assert.rejects(failing, /in vain/);
    assert.equal(refreshes.length, 1);
  });

  it('does not run without changes, or after it was disposed', async () => {
    await refresher.blockDuring(async () => undefined);
    refresher.refreshIfFree();
    refresher.close();
    refresher.want();
    assert.equal(refreshes.length, 0);
    assert.deepEqual(errors, []);
  });
});
