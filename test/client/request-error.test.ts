import assert from 'node:assert/strict';
import { RequestError } from '../../src/client/request-error.ts';
import { isHarbor } from '../../src/purge/is-harbor.ts';

describe('an error of a request', () => {
  const details = { problem: 'status', method: 'GET', path: '/harbor/handshake', status: 404 } as const;

  it('is recognized across bundles that each have the class', async () => {
    const address = new URL('../../src/client/request-error.ts?another-bundle', import.meta.url).href;
    const other: typeof import('../../src/client/request-error.ts') = await import(address);
    assert.notEqual(other.RequestError, RequestError);
    const error = new other.RequestError('Not Found', details);
    assert.ok(error instanceof RequestError);
    // Such as in the extension, whose views ask with the client of another bundle.
    const handshake = () => Promise.reject(error);
    assert.equal(await isHarbor({ harbor: { handshake } as never }), false);
  });

  it('is not confused with other errors', () => {
    assert.ok(!(new Error('Not Found') instanceof RequestError));
    assert.ok(!(Object.assign(new Error('x'), { name: 'RequestError' }) instanceof RequestError));
    assert.ok(!({ name: 'RequestError', problem: 'status' } instanceof RequestError));
  });
});
