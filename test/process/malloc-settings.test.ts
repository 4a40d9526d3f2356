import assert from 'node:assert/strict';
import { forgetMallocSettings, mallocSettings } from '../../src/process/malloc-settings.ts';

describe('the memory settings of a process', () => {
  it('are removed once the process has started, and nothing else is', () => {
    const environment: NodeJS.ProcessEnv = { PATH: '/bin', ...mallocSettings({ PATH: '/bin' }) };
    assert.equal(environment.MALLOC_ARENA_MAX, '1');
    forgetMallocSettings(environment);
    assert.deepEqual(environment, { PATH: '/bin' });
  });

  it('leave those of the user unchanged', () => {
    const own = { MALLOC_ARENA_MAX: '1' };
    assert.deepEqual(mallocSettings(own), {});
    forgetMallocSettings(own);
    assert.deepEqual(own, { MALLOC_ARENA_MAX: '1' });
  });
});
