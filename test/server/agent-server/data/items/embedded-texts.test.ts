import assert from 'node:assert/strict';
import { embeddedTexts } from '../../../../../src/server/agent-server/data/items/embedded-texts.ts';

describe('the embedded texts of an item', () => {
  const textsAt = (path: string) => embeddedTexts({ a: ['x', 'y'] }, [path]).map(({ text }) => text);

  it('are those at an index, from either end, or of all elements', () => {
    assert.deepEqual([textsAt('a[0]'), textsAt('a[-1]'), textsAt('a[*]')], [['x'], ['y'], ['x', 'y']]);
  });

  it('are none at what is no index', () => {
    for (const path of ['a[foo]', 'a[]', 'a[1.5]', 'a[2]']) assert.deepEqual(textsAt(path), [], path);
  });
});
