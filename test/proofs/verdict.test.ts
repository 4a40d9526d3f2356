import assert from 'node:assert/strict';
import type { Divergence } from '../../src/contract/agent-server/exchanges.ts';
import { isProved, type Verdict, verdictOf } from '../../src/proofs/verdict.ts';
import type { Ends, ReplayOutcome } from '../../src/run-files/replay-outcome.ts';

const rest = { threadId: 't', runId: 'r', answered: 1, live: 0, isNew: false };
const failed = { status: 'error', error: { error: 'KeyError', message: "'a'" } };
const ended = (recorded: Ends['recorded'], now: Ends['now']): ReplayOutcome => ({
  ...rest,
  kind: 'ended',
  ends: { recorded, now },
});
const same = (status: string): ReplayOutcome => ({
  ...rest,
  kind: 'same',
  ends: { recorded: { status }, now: { status } },
});
const request = { method: 'POST', url: 'http://127.0.0.1:1/', headers: [], body: null };
const place = { node: 'ask', task: '' };
const diverged = (status: string, change: Partial<Divergence>): ReplayOutcome => ({
  ...rest,
  kind: 'diverged',
  ends: { recorded: { status }, now: { status: 'error' } },
  divergence: { place, request, after: 1, nearest: null, repeated: false, differences: [], ...change },
});
const nearest = { ordinal: 1, place, request };

describe('the verdict on a recorded run', () => {
  const cases: readonly (readonly [string, ReplayOutcome, Verdict])[] = [
    ['it ends without its failure', ended(failed, { status: 'success' }), 'fixed'],
    ['it fails as before', same('error'), 'still_failing'],
    ['it fails with another error', ended(failed, { status: 'error' }), 'another_failure'],
    ['it fails and did not', ended({ status: 'success' }, failed), 'another_failure'],
    ['it goes on where it failed', diverged('error', {}), 'past_failure'],
    ['it asks for something else before it failed', diverged('error', { nearest }), 'new_request'],
    ['it asks again for the same', diverged('error', { repeated: true }), 'new_request'],
    ['it had not failed, and asks for something else', diverged('success', {}), 'new_request'],
    ['it had not failed and is the same', same('success'), 'unchanged'],
  ];
  for (const [what, outcome, verdict] of cases) {
    it(`is ${verdict} when ${what}`, () => {
      assert.equal(verdictOf(outcome, undefined, undefined), verdict);
    });
  }

  it('is that of the evaluators when nothing failed', () => {
    const values: ReplayOutcome = { ...same('success'), kind: 'values', recorded: 1, now: 2 };
    assert.equal(verdictOf(values, ['wrong'], []), 'fixed');
    assert.equal(verdictOf(values, ['wrong'], ['wrong']), 'still_failing');
    assert.equal(verdictOf(values, [], ['wrong']), 'another_failure');
    assert.equal(verdictOf(values, [], []), 'changed');
    assert.equal(verdictOf(ended(failed, { status: 'success' }), undefined, ['wrong']), 'another_failure');
  });

  it('proves only that a fault is gone', () => {
    const proved = cases.map(([, , verdict]) => verdict).filter(isProved);
    assert.deepEqual(proved, ['fixed', 'past_failure']);
  });
});
