import assert from 'node:assert/strict';
import { pickVariables } from '../../src/process/pick-variables.ts';

describe('the variables of an environment', () => {
  it('are those that are set, or of these the wanted ones', () => {
    const environment = { KEY: 'secret', EMPTY: '', UNSET: undefined };
    assert.deepEqual(pickVariables(environment), { KEY: 'secret', EMPTY: '' });
    assert.deepEqual(
      pickVariables(environment, (name) => name !== 'KEY'),
      { EMPTY: '' },
    );
  });
});
