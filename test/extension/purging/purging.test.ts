import assert from 'node:assert/strict';
import { isRecheckDue } from '../../../src/extension/purging/recheck.ts';

describe('checking a deletion that a platform has queued', () => {
  const requestedAt = '2026-01-01T00:00:00.000Z';
  const start = Date.parse(requestedAt);
  const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
  const scope = { kind: 'project', project: { id: 'p', name: 'test' } } as const;
  const queued = { id: 'q', connectionId: 'c', scope, requestedAt, traces: 3 };

  it('happens soon at first, then less and less often', () => {
    assert.equal(isRecheckDue(queued, start + 4_000), false);
    assert.equal(isRecheckDue(queued, start + 5_000), true);
    const later = { ...queued, remaining: 3, checkedAt: at(600) };
    assert.equal(isRecheckDue(later, start + 890_000), false);
    assert.equal(isRecheckDue(later, start + 900_000), true);
  });

  it('happens at least twice an hour, however old the deletion is', () => {
    const old = { ...queued, remaining: 3, checkedAt: at(1_000_000) };
    assert.equal(isRecheckDue(old, start + 1_001_800_000), true);
  });

  it('waits equally long after a check without an answer', () => {
    assert.equal(isRecheckDue(queued, start + 890_000, start + 600_000), false);
    assert.equal(isRecheckDue(queued, start + 900_000, start + 600_000), true);
  });

  it('ends when no trace is found', () => {
    assert.equal(isRecheckDue({ ...queued, remaining: 0, checkedAt: at(10) }, start + 9_999_000), false);
  });
});
