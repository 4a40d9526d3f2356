import assert from 'node:assert/strict';
import { describeOutcome } from '../../src/extension/purging/describe-outcome.ts';

describe('the message about a purge', () => {
  const requestOf = (count: number) => ({ trace_ids: Array.from({ length: count }, (_, n) => `${n}`) });
  const plan = { requests: [requestOf(1000), requestOf(1000), requestOf(500)] };
  const first = { sent: 1, jobIds: ['job'], traceIds: plan.requests[0]?.trace_ids ?? [] };

  it('counts the requested traces when the purge was canceled between requests', () => {
    assert.equal(
      describeOutcome({ kind: 'stopped', queued: first, error: undefined }, plan, 'EU'),
      'Purge canceled: 1000 of 2500 traces were requested and will be deleted.',
    );
  });

  it('says that nothing was deleted when the purge was canceled before the first request', () => {
    const queued = { sent: 0, jobIds: [], traceIds: [] };
    assert.equal(
      describeOutcome({ kind: 'stopped', queued, error: undefined }, plan, 'EU'),
      'Purge canceled. Nothing was deleted.',
    );
  });

  it('is an error with the count of traces when a later request failed', () => {
    const error = new Error('The platform is overloaded.');
    const message = describeOutcome({ kind: 'stopped', queued: { ...first, error }, error }, plan, 'EU');
    assert.ok(message instanceof Error);
    assert.equal(
      message.message,
      'The purge stopped: 1000 of 2500 traces were requested and will be deleted. The platform is overloaded.',
    );
  });
});
