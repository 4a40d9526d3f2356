import assert from 'node:assert/strict';
import { KnownElements } from '../../src/extension/views/known-elements.ts';

interface Row {
  readonly id: string;
  readonly version: number;
}

describe('the elements of a tree', () => {
  it('are asked for by their id', async () => {
    const known = new KnownElements<Row>();
    await known.replace(async () => [{ id: 'a', version: 1 }]);
    known.add([{ id: 'a/1', version: 1 }]);
    assert.deepEqual(known.ask('a/1'), { id: 'a/1', version: 1 });
    assert.equal(known.ask('b'), undefined);
  });

  it('lose no change that comes while the roots are read anew', async () => {
    const known = new KnownElements<Row>();
    await known.replace(async () => [{ id: 'a', version: 1 }]);
    const { promise, resolve } = Promise.withResolvers<readonly Row[]>();
    const replaced = known.replace(() => promise);
    assert.equal(known.ask('a'), undefined, 'the old row is about to go');
    assert.ok(known.find('a'), 'but it still counts as known');
    resolve([{ id: 'a', version: 2 }]);
    assert.deepEqual(await replaced, { roots: [{ id: 'a', version: 2 }], asked: ['a'] });
    assert.deepEqual(known.ask('a'), { id: 'a', version: 2 });
  });

  it('are asked for again by the last of two readings, and only once', async () => {
    const known = new KnownElements<Row>();
    const first = Promise.withResolvers<readonly Row[]>();
    const second = Promise.withResolvers<readonly Row[]>();
    const [one, two] = [known.replace(() => first.promise), known.replace(() => second.promise)];
    known.ask('a');
    first.resolve([{ id: 'a', version: 1 }]);
    assert.deepEqual((await one).asked, []);
    second.resolve([{ id: 'a', version: 2 }]);
    assert.deepEqual((await two).asked, ['a']);
    assert.deepEqual((await known.replace(async () => [])).asked, []);
  });

  it('keep what they had when the roots cannot be read', async () => {
    const known = new KnownElements<Row>();
    await known.replace(async () => [{ id: 'a', version: 1 }]);
    await assert.rejects(
      known.replace(() => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.ok(known.ask('a'));
  });
});
