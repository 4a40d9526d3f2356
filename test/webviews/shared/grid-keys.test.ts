import assert from 'node:assert/strict';
import { rowOfKey } from '../../../src/webviews/shared/grid/grid-keys.ts';

describe('the keys of a grid', () => {
  const place = { index: 5, count: 10, pageSize: 4 };

  it('lead to rows, and not beyond the first and the last', () => {
    const led = ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End'].map((key) =>
      rowOfKey(key, place),
    );
    assert.deepEqual(led, [6, 4, 9, 1, 0, 9]);
    assert.equal(rowOfKey('PageDown', { ...place, index: 9 }), 9);
    assert.equal(rowOfKey('ArrowUp', { ...place, index: 0 }), 0);
  });

  it('begin at an end where no row is selected', () => {
    assert.equal(rowOfKey('ArrowDown', { ...place, index: -1 }), 0);
    assert.equal(rowOfKey('ArrowUp', { ...place, index: -1 }), 9);
  });

  it('are left to the browser in an empty grid, and when they mean nothing', () => {
    assert.equal(rowOfKey('End', { ...place, count: 0 }), undefined);
    assert.equal(rowOfKey('a', place), undefined);
  });
});
