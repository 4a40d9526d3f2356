import assert from 'node:assert/strict';
import { RequestError, type RequestErrorDetails } from '../../src/client/request-error.ts';
import { retryAfterMs, retryDelay } from '../../src/client/retry.ts';

function failed(details: Partial<RequestErrorDetails>): RequestError {
  return new RequestError('failed', { problem: 'status', method: 'GET', path: '/', ...details });
}

describe('the delay before a retry', () => {
  it('grows with every retry', () => {
    const error = failed({ problem: 'lost' });
    const [first = 0, , third = 0] = [0, 1, 2].map((attempt) => retryDelay(error, attempt, 5));
    assert.ok(first >= 150 && first <= 250, String(first));
    assert.ok(third >= 600 && third <= 1_000, String(third));
  });

  it('does not exist when all retries are used up', () => {
    assert.equal(retryDelay(failed({ problem: 'lost' }), 2, 2), undefined);
  });

  it('is the one that the server asks for', () => {
    assert.equal(retryDelay(failed({ status: 429, method: 'POST', retryAfterMs: 2_000 }), 0, 2), 2_000);
  });

  it('does not exist when the server asks for too long a wait', () => {
    assert.equal(retryDelay(failed({ status: 429, retryAfterMs: 3_600_000 }), 0, 2), undefined);
  });

  it('does not exist for a POST refused without Retry-After', () => {
    assert.equal(retryDelay(failed({ status: 429, method: 'POST' }), 0, 2), undefined);
  });

  it('does not exist for an unknown host', () => {
    assert.equal(retryDelay(failed({ problem: 'unreachable', code: 'ENOTFOUND' }), 0, 2), undefined);
  });
});

describe('a Retry-After header', () => {
  it('contains seconds or a date', () => {
    assert.equal(retryAfterMs('3'), 3_000);
    assert.equal(retryAfterMs('Sat, 21 Nov 2026 10:00:05 GMT', Date.parse('2026-11-21T10:00:00Z')), 5_000);
    assert.equal(retryAfterMs('soon'), undefined);
    assert.equal(retryAfterMs(undefined), undefined);
  });
});
