import assert from 'node:assert/strict';
import { statusOfEnd } from '../../../../src/extension/panels/run-file/status-of-end.ts';

describe('the thread of a run file', () => {
  it('is done, waits for an answer, or has stopped at a breakpoint, as its last run ended', () => {
    assert.equal(statusOfEnd({ status: 'success', waits: false, next: [] }), 'success');
    assert.equal(statusOfEnd({ status: 'success', waits: true, next: ['ask'] }), 'interrupted');
    assert.equal(statusOfEnd({ status: 'success', waits: false, next: ['ask'] }), 'paused');
  });

  it('is canceled or has failed, whatever would run next', () => {
    assert.equal(statusOfEnd({ status: 'interrupted', waits: false, next: ['ask'] }), 'cancelled');
    assert.equal(statusOfEnd({ status: 'error', waits: false, next: ['ask'] }), 'error');
  });

  it('is done if an older file does not name the next nodes', () => {
    assert.equal(statusOfEnd({ status: 'success', waits: false }), 'success');
  });
});
