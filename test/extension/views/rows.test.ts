import assert from 'node:assert/strict';
import { type Readings, Rows } from '../../../src/extension/views/rows.ts';

interface Item {
  readonly id: string;
  readonly look: string;
}

/** Items by the text `id` or `id=look`. */
function items(...texts: readonly string[]): Item[] {
  return texts.map((text) => {
    const [id = '', look = ''] = text.split('=');
    return { id, look };
  });
}

/** The rows read below each id; the roots below the empty one. */
function readings(below: Readonly<Record<string, readonly string[]>>): Readings<Item> {
  return new Map(Object.entries(below).map(([id, texts]) => [id === '' ? undefined : id, items(...texts)]));
}

/** Requests rows as VS Code does: those below a row, or the roots, and then the item of each. */
function show(rows: Rows<Item>, id: string | undefined, ...texts: readonly string[]): void {
  for (const row of rows.hand(id, items(...texts))) rows.noteShown(row);
}

/** Two deployments, the first of which is unfolded. */
function shownRows() {
  const rows = new Rows<Item>(({ element }) => element.look);
  show(rows, undefined, 'a=live', 'b=idle');
  show(rows, 'a', 'a/1=DEPLOYED', 'a/2=BUILDING');
  const unfolded = new Set(['a']);
  return {
    rows,
    unfolded,
    /** The changes that are reported to VS Code once everything was read. */
    refresh: (
      below: Readonly<Record<string, readonly string[]>>,
      ids: readonly (string | undefined)[] = [undefined],
    ) => {
      const changed = rows.refresh(ids, readings(below), (id) => unfolded.has(id));
      return changed === 'everything' ? changed : changed.map(({ id }) => id);
    },
  };
}

describe('the rows of a view', () => {
  const before = { '': ['a=live', 'b=idle'], a: ['a/1=DEPLOYED', 'a/2=BUILDING'] };

  it('keep their identity when they look the same, and refer to what was read last', () => {
    const { rows, refresh } = shownRows();
    const [row] = rows.hand('a', items('a/1=DEPLOYED', 'a/2=BUILDING'));
    assert.ok(row);
    const old = row.element;
    assert.deepEqual(refresh(before), []);
    assert.notEqual(row.element, old);
    assert.equal(rows.find('a/1'), row.element);
  });

  it('are refreshed alone when only they have changed', () => {
    const { rows, refresh } = shownRows();
    const after = { ...before, a: ['a/1=DEPLOYED', 'a/2=INTERRUPTED'] };
    assert.deepEqual(refresh(after), ['a/2']);
    assert.equal(rows.find('a/2')?.look, 'INTERRUPTED');
    assert.deepEqual(refresh(after), ['a/2'], 'until VS Code has asked for it');
    rows.noteShown(rows.of({ id: 'a/2', look: '' }));
    assert.deepEqual(refresh(after), []);
  });

  it('are refreshed with their children when the children have changed', () => {
    const { rows, refresh } = shownRows();
    const after = { ...before, a: ['a/1=DEPLOYED', 'a/3=QUEUED', 'a/2=BUILDING'] };
    assert.deepEqual(refresh(after), ['a']);
    show(rows, 'a', ...after.a);
    assert.deepEqual(refresh(after), []);
    assert.deepEqual(refresh({ a: [] }, ['a']), ['a']);
  });

  it('are all refreshed when the roots differ or are in another order', () => {
    const { rows, refresh } = shownRows();
    assert.equal(refresh({ ...before, '': ['b=idle', 'a=live'] }), 'everything');
    show(rows, undefined, 'b=idle', 'a=live');
    assert.deepEqual(
      refresh({ ...before, '': ['b=idle', 'a=live'] }),
      ['a'],
      'VS Code has forgotten what was below',
    );
    assert.equal(refresh({ '': ['a=live'] }), 'everything');
    assert.equal(rows.find('b'), undefined);
  });

  it('below a collapsed row are forgotten, so that expanding it reads them again', () => {
    const { rows, refresh, unfolded } = shownRows();
    unfolded.clear();
    assert.deepEqual(refresh({ '': before[''] }), ['a']);
    assert.equal(rows.find('a/1'), undefined);
    assert.deepEqual(refresh({ '': before[''] }), [], 'VS Code was told');
  });

  it('are kept when they are expanded during a refresh', () => {
    const { rows, refresh } = shownRows();
    assert.deepEqual(refresh({ '': before[''] }), []);
    assert.ok(rows.find('a/1'));
  });
});
