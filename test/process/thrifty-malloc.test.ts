import assert from 'node:assert/strict';
import { forgetThriftyMalloc, thriftyMalloc } from '../../src/process/thrifty-malloc.ts';

describe('the settings of the memory of a process', () => {
  it('are gone once the process has begun, with nothing else', () => {
    const environment: NodeJS.ProcessEnv = { PATH: '/bin', ...thriftyMalloc({ PATH: '/bin' }) };
    assert.equal(environment.MALLOC_ARENA_MAX, '1');
    forgetThriftyMalloc(environment);
    assert.deepEqual(environment, { PATH: '/bin' });
  });

  it('leave those of the user as they are', () => {
    const own = { MALLOC_ARENA_MAX: '1' };
    assert.deepEqual(thriftyMalloc(own), {});
    forgetThriftyMalloc(own);
    assert.deepEqual(own, { MALLOC_ARENA_MAX: '1' });
  });
});
