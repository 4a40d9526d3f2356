import assert from 'node:assert/strict';
import { isChosen } from '../../../../src/server/agent-server/auth/header-selection.ts';

describe('the headers that a graph gets', () => {
  const byDefault = (name: string) => name.startsWith('x-');

  it('include credentials only if they are named in full, in any case', () => {
    for (const name of ['authorization', 'x-api-key']) {
      assert.equal(isChosen(name, undefined, byDefault), false, name);
      assert.equal(isChosen(name, { includes: ['*'], excludes: null }, byDefault), false, name);
      assert.equal(
        isChosen(name, { includes: ['Authorization', 'X-Api-Key'], excludes: null }, byDefault),
        true,
        name,
      );
    }
  });

  it('are selected by patterns, in any case', () => {
    assert.equal(isChosen('x-tenant', { includes: ['X-*'], excludes: null }, byDefault), true);
    assert.equal(isChosen('x-tenant', { includes: ['X-*'], excludes: ['X-Tenant'] }, byDefault), false);
    assert.equal(isChosen('x-tenant', { includes: ['accept'], excludes: null }, byDefault), false);
  });
});
