import assert from 'node:assert/strict';
import { causesOf } from '../../../../src/runtime/node/errors/error-causes.ts';

describe('the causes of an error', () => {
  it('end where the code of the project throws, with those before', () => {
    const hidden = Object.defineProperty(new Error('the key is missing'), 'cause', {
      get: () => {
        throw new Error('no cause');
      },
    });
    const text = causesOf(new Error('no answer', { cause: hidden }));
    assert.match(text, /^\nCaused by: Error: the key is missing\n/);
    const proxy = new Proxy(new Error('closed'), {
      getPrototypeOf: () => {
        throw new Error('no prototype');
      },
    });
    assert.equal(causesOf(proxy), '');
    assert.equal(causesOf(new Error('no answer', { cause: proxy })), '');
  });

  it('end where an error causes itself', () => {
    const error = new Error('again');
    error.cause = error;
    assert.equal(causesOf(error), '');
  });
});
