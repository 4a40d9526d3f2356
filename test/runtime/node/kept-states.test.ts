import assert from 'node:assert/strict';
import { KeptStates, keyOf } from '../../../src/runtime/node/kept-states.ts';

describe('the states a runtime keeps', () => {
  it('are those used last, up to four million characters', () => {
    const kept = new KeptStates();
    const text = 'x'.repeat(1_000_000);
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
    kept.keep('huge', 'x'.repeat(5_000_000));
    assert.equal(kept.get('huge'), undefined);
  });

  it('are told apart by every part that they are computed from', () => {
    assert.equal(keyOf('graph', { a: 1 }), keyOf('graph', { a: 1 }));
    assert.notEqual(keyOf('graph', { a: 1 }), keyOf('graph', { a: 2 }));
    assert.notEqual(keyOf('graph', 'a', undefined), keyOf('graph', 'a'));
  });
});
