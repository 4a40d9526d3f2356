import assert from 'node:assert/strict';
import { searchPathOf } from '../../src/process/search-path.ts';

describe('the search path of programs', () => {
  it('is PATH, however a copy of the environment spells it', () => {
    assert.equal(searchPathOf({ Path: 'C:\\a' }), 'C:\\a');
    assert.equal(searchPathOf({ path: 'b', OTHER: 'c' }), 'b');
    assert.equal(searchPathOf({ Path: 'a', PATH: 'b' }), 'b');
    assert.equal(searchPathOf({ PATHEXT: '.EXE' }), undefined);
  });
});
