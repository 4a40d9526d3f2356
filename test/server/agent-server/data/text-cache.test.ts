import assert from 'node:assert/strict';
import { TextCache } from '../../../../src/server/agent-server/data/text-cache.ts';

const MEGABYTE = 1_048_576;
/** With a key of some characters, four fit and five do not. */
const text = 'x'.repeat(MEGABYTE - 100);

describe('the texts that a server caches', () => {
  it('are the most recently used ones, up to four million characters', () => {
    const kept = new TextCache().part();
    for (const key of ['a', 'b', 'c', 'd']) kept.keep(key, text);
    assert.equal(kept.get('a'), text);
    kept.keep('e', text);
    assert.deepEqual(
      ['a', 'b', 'c', 'd', 'e'].filter((key) => kept.get(key) !== undefined),
      ['a', 'c', 'd', 'e'],
    );
    kept.keep('a', 'short');
    kept.keep('f', text);
    assert.equal(kept.get('a'), 'short');
    assert.equal(kept.get('c'), text);
    kept.keep('huge', 'x'.repeat(5 * MEGABYTE));
    assert.equal(kept.get('huge'), undefined);
  });

  it('share that limit across all caches', () => {
    const texts = new TextCache();
    const parts = [texts.part(), texts.part(), texts.part()];
    for (const part of parts) for (const key of ['a', 'b']) part.keep(key, text);
    assert.deepEqual(
      parts.map((part) => ['a', 'b'].filter((key) => part.get(key) === text)),
      [[], ['a', 'b'], ['a', 'b']],
    );
  });

  it('count with their keys, because many short ones take memory too', () => {
    const kept = new TextCache().part();
    const keys = ['a', 'b', 'c', 'd', 'e'].map((key) => key.repeat(MEGABYTE));
    for (const key of keys) kept.keep(key, '');
    assert.deepEqual(
      keys.map((key) => kept.get(key)),
      [undefined, undefined, '', '', ''],
    );
  });

  it('belong to one cache only, and make room for others when it is closed', () => {
    const texts = new TextCache();
    const [one, other] = [texts.part(), texts.part()];
    one.keep('a', 'of one');
    other.keep('a', 'of the other');
    assert.equal(one.get('a'), 'of one');
    for (const key of ['b', 'c']) other.keep(key, text);
    for (const key of ['b', 'c']) one.keep(key, text);
    one.clear();
    assert.deepEqual([one.get('a'), one.get('b'), one.get('c')], [undefined, undefined, undefined]);
    for (const key of ['d', 'e']) other.keep(key, text);
    assert.deepEqual(
      ['a', 'b', 'c', 'd', 'e'].map((key) => other.get(key)),
      ['of the other', text, text, text, text],
    );
  });
});
