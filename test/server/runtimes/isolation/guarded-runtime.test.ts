import assert from 'node:assert/strict';
import { endingOf } from '../../../../src/server/runtimes/isolation/guarded-runtime.ts';

describe('the end of a container', () => {
  it('is a signal only for codes that stand for one', () => {
    const ends = [0, 1, 128 + 6, 128 + 9, 128 + 64, 128 + 65, 255].map((code) =>
      endingOf({ code, signal: null }),
    );
    assert.deepEqual(ends, [
      'exited with code 0',
      'exited with code 1',
      'was stopped by signal 6',
      'was stopped by SIGKILL, perhaps because it was out of memory (memory_limit_mb)',
      'was stopped by signal 64',
      'exited with code 193',
      'exited with code 255',
    ]);
    assert.equal(endingOf({ code: null, signal: 'SIGTERM' }), 'was stopped by SIGTERM');
    assert.match(endingOf({ error: 'no such program' }), /could not be started: no such program/);
  });
});
