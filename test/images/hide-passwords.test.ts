import assert from 'node:assert/strict';
import { hidePasswords } from '../../src/images/hide-passwords.ts';

describe('a line of build output', () => {
  it('has neither passwords nor tokens in its addresses', () => {
    const line = 'Looking in https://ada:secret@index.test/simple, http://token@pypi.test';
    assert.equal(hidePasswords(line), 'Looking in https://***@index.test/simple, http://***@pypi.test');
  });

  it('has no part of a password that contains an @', () => {
    assert.equal(
      hidePasswords('GET https://ada:p@ss@index.test/simple'),
      'GET https://***@index.test/simple',
    );
  });

  it('keeps an @ elsewhere in an address', () => {
    const line = 'GET https://registry.test/@langchain/core';
    assert.equal(hidePasswords(line), line);
  });
});
