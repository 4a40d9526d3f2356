import assert from 'node:assert/strict';
import { KeyedMutex } from '../../src/server/keyed-mutex.ts';

describe('work under a key', () => {
  it('begins at once when nothing with its key runs, and otherwise in the order in which it was asked for', async () => {
    const mutex = new KeyedMutex();
    const begun: string[] = [];
    const first = Promise.withResolvers<void>();
    const run = (name: string, end: Promise<void>) =>
      mutex.run(name.charAt(0), async () => {
        begun.push(name);
        await end;
        return name;
      });
    const all = [run('a1', first.promise), run('a2', Promise.resolve()), run('a3', Promise.resolve())];
    const other = run('b1', Promise.resolve());
    assert.deepEqual(begun, ['a1', 'b1']);
    assert.equal(await other, 'b1');
    assert.deepEqual(begun, ['a1', 'b1']);
    first.resolve();
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3']);
    assert.deepEqual(begun, ['a1', 'b1', 'a2', 'a3']);
  });

  it('is not held up by work that failed', async () => {
    const mutex = new KeyedMutex();
    const failed = mutex.run('a', () => Promise.reject(new Error('no')));
    const next = mutex.run('a', async () => 'next');
    await assert.rejects(failed, /no/);
    assert.equal(await next, 'next');
  });
});
