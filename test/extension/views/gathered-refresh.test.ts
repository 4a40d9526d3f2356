import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { GatheredRefresh } from '../../../src/extension/views/gathered-refresh.ts';
import { eventually } from '../../support/wait.ts';

describe('changes that come close together', () => {
  class Tree {
    readonly refreshed: (string | undefined)[] = [];

    refresh(id?: string): void {
      this.refreshed.push(id);
    }
  }

  /** Waits for longer than changes are gathered. */
  const settle = () => delay(400);

  it('refresh each row of a tree once', async () => {
    const gathered = new GatheredRefresh();
    const [threads, traces] = [new Tree(), new Tree()];
    gathered.want(threads, 'a');
    gathered.want(threads, 'b');
    gathered.want(threads, 'a');
    gathered.want(traces);
    assert.deepEqual([threads.refreshed, traces.refreshed], [[], []]);
    await eventually(
      'the refresh',
      async () => [threads.refreshed, traces.refreshed],
      ([rows = [], all = []]) => rows.length > 0 && all.length > 0,
    );
    await settle();
    assert.deepEqual([threads.refreshed, traces.refreshed], [['a', 'b'], [undefined]]);
  });

  it('refresh everything once, when that is among them', async () => {
    const gathered = new GatheredRefresh();
    const tree = new Tree();
    gathered.want(tree, 'a');
    gathered.want(tree);
    await settle();
    assert.deepEqual(tree.refreshed, [undefined]);
  });

  it('refresh again what changes later', async () => {
    const gathered = new GatheredRefresh();
    const tree = new Tree();
    for (const expected of [1, 2]) {
      gathered.want(tree, 'a');
      await eventually(
        'the refresh',
        async () => tree.refreshed.length,
        (count) => count === expected,
      );
    }
  });

  it('refresh again a row that changes while it is refreshed', async () => {
    const gathered = new GatheredRefresh();
    let refreshes = 0;
    const tree = {
      refresh: () => {
        refreshes++;
        if (refreshes === 1) gathered.want(tree, 'a');
      },
    };
    gathered.want(tree, 'a');
    await eventually(
      'the second refresh',
      async () => refreshes,
      (count) => count === 2,
    );
  });

  it('refresh nothing once the views are gone', async () => {
    const gathered = new GatheredRefresh();
    const tree = new Tree();
    gathered.want(tree);
    gathered.dispose();
    await settle();
    assert.deepEqual(tree.refreshed, []);
  });
});
