import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { TreeRefresh } from '../../../src/extension/views/tree-refresh.ts';
import { eventually } from '../../support/wait.ts';

interface Row {
  readonly id: string;
}

/** A tree whose reads the test completes. */
function tree(maxWaitMs?: number) {
  const reads: { readonly of: string | undefined; readonly end: PromiseWithResolvers<readonly Row[]> }[] = [];
  const shown: (string | undefined)[] = [];
  const known = new Map<string, Row>();
  const refresh = new TreeRefresh<Row>({
    read: (row) => {
      const end = Promise.withResolvers<readonly Row[]>();
      reads.push({ of: row?.id, end });
      return end.promise;
    },
    find: (id) => known.get(id),
    show: (ids) => shown.push(...ids),
    ...(maxWaitMs !== undefined && { maxWaitMs }),
  });
  return {
    refresh,
    shown,
    of: () => reads.map(({ of }) => of),
    /** Ends a reading with rows. */
    async end(index: number, ...ids: string[]): Promise<void> {
      const rows = ids.map((id) => ({ id }));
      for (const row of rows) known.set(row.id, row);
      reads[index]?.end.resolve(rows);
      await setImmediate();
    },
  };
}

/** Shows the row `a`, unfolded, with `a/1` below it. */
async function shownTree(maxWaitMs?: number) {
  const made = tree(maxWaitMs);
  const roots = made.refresh.children(undefined);
  await made.end(0, 'a');
  const [a] = await roots;
  const below = made.refresh.children(a);
  await made.end(1, 'a/1');
  await below;
  return made;
}

describe('the refresh of a view', () => {
  it('reads expanded rows once, before the view reports a change', async () => {
    const { refresh, shown, of, end } = await shownTree();
    refresh.ask();
    await end(2, 'a', 'b');
    assert.deepEqual(shown, [], 'rows below an unfolded one are still being read');
    await end(3, 'a/1', 'a/2');
    assert.deepEqual(shown, [undefined]);
    const [a, b] = await refresh.children(undefined);
    assert.deepEqual(await refresh.children(a), [{ id: 'a/1' }, { id: 'a/2' }]);
    assert.equal(b?.id, 'b');
    assert.deepEqual(of().slice(2), [undefined, 'a']);
  });

  it('of one row reads its children first when it is expanded', async () => {
    const { refresh, shown, of, end } = await shownTree();
    refresh.ask('a');
    assert.deepEqual(shown, []);
    await end(2, 'a/2');
    assert.deepEqual(shown, ['a']);
    refresh.fold('a');
    await setImmediate();
    refresh.ask('a');
    await setImmediate();
    assert.deepEqual(shown, ['a', 'a']);
    assert.deepEqual(of().slice(2), ['a']);
  });

  it('runs again when something changes while it runs', async () => {
    const { refresh, shown, of, end } = await shownTree();
    refresh.ask();
    refresh.ask('a');
    refresh.ask();
    await end(2);
    assert.deepEqual(shown, [undefined]);
    assert.deepEqual(of().slice(2), [undefined, undefined]);
    await end(3);
    assert.deepEqual(shown, [undefined, undefined]);
  });

  it('answers each time when VS Code asks twice for the same rows', async () => {
    const { refresh, of, end } = await shownTree();
    refresh.ask();
    await end(2, 'b');
    assert.equal(await refresh.children(undefined), await refresh.children(undefined));
    assert.deepEqual(of().slice(2), [undefined]);
  });

  it('answers requests that came before it, after older answers', async () => {
    const { refresh, shown, of, end } = await shownTree();
    const asked = refresh.children(undefined);
    refresh.ask();
    await end(3, 'c');
    assert.deepEqual(shown, [undefined]);
    await end(2, 'b');
    assert.deepEqual(await asked, [{ id: 'c' }]);
    assert.deepEqual(of().slice(2), [undefined, undefined]);
  });

  it('reads only expanded rows', async () => {
    const { refresh, of, end } = await shownTree();
    refresh.fold('a');
    refresh.ask();
    await end(2, 'a');
    assert.deepEqual(of().slice(2), [undefined]);
    refresh.unfold('a');
    refresh.ask();
    await end(3, 'a');
    assert.deepEqual(of().slice(2), [undefined, undefined, 'a']);
  });

  it('of a row is not lost when another row finishes first', async () => {
    const { refresh, shown, of, end } = await shownTree(5);
    const [b] = [{ id: 'b' }];
    await end(0, 'b');
    const below = refresh.children(b);
    await end(2, 'b/1');
    await below;
    refresh.ask('a');
    refresh.ask('b');
    await eventually('the readings of both', async () => of().length === 5);
    await end(4, 'b/2');
    await end(3, 'a/2');
    await eventually('both to be shown', async () => shown.length === 2);
  });

  it('reads rows that VS Code asks for later', async () => {
    const { refresh, of, end } = await shownTree();
    refresh.ask();
    await end(2, 'b');
    refresh.discard();
    const roots = refresh.children(undefined);
    await end(3, 'c');
    assert.deepEqual(await roots, [{ id: 'c' }]);
    assert.deepEqual(of().slice(2), [undefined, undefined]);
  });

  it('does not wait for a platform that does not respond', async () => {
    const { refresh, shown, of, end } = await shownTree(5);
    refresh.ask();
    refresh.ask();
    await eventually('the second reading', async () => of().length === 4);
    await end(3, 'b');
    assert.deepEqual(shown, [undefined]);
    await end(2, 'a');
    assert.deepEqual(shown, [undefined], 'the answer that comes too late is not shown');
    assert.deepEqual(await refresh.children(undefined), [{ id: 'b' }]);
  });
});
