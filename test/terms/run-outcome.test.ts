import assert from 'node:assert/strict';
import type { ThreadState } from '../../src/contract/agent-server/threads.ts';
import { outcomeOf, pauseOf, shownOutcome } from '../../src/terms/run-outcome.ts';

/** A state before a node. The node's task has the given interrupts. */
function stateBefore(node: string, ...interrupts: readonly { readonly value: unknown }[]): ThreadState {
  return {
    values: {},
    next: [node],
    tasks: [{ id: 'task', name: node, interrupts: [...interrupts] }],
    checkpoint: { thread_id: 'thread', checkpoint_ns: '', checkpoint_id: 'checkpoint' },
  };
}

describe('the outcome of a run', () => {
  it('is canceled when the run was interrupted, whatever is still to run', () => {
    assert.equal(outcomeOf({ status: 'interrupted' }, stateBefore('answer')), 'cancelled');
    assert.equal(outcomeOf({ status: 'interrupted' }, undefined), 'cancelled');
  });

  it('is interrupted when a platform reports so for a run that asks a person something', () => {
    assert.equal(
      outcomeOf({ status: 'interrupted' }, stateBefore('answer', { value: 'Really?' })),
      'interrupted',
    );
  });

  it('is success for a run that a breakpoint has stopped', () => {
    assert.equal(outcomeOf({ status: 'success' }, stateBefore('answer')), 'success');
  });
});

describe('what a thread waits for', () => {
  it('is an answer, a go-ahead before the next nodes, or nothing', () => {
    const asking = { ...stateBefore('answer', { value: 'Really?' }) };
    assert.deepEqual(pauseOf(asking), { kind: 'asks', questions: [{ id: undefined, value: 'Really?' }] });
    assert.deepEqual(pauseOf(stateBefore('answer')), { kind: 'stopped', next: ['answer'] });
    assert.deepEqual(pauseOf({ ...stateBefore('answer'), next: [], tasks: [] }), { kind: 'done' });
  });
});

describe('the outcome that people see', () => {
  it('is a success only when nothing is left to do', () => {
    assert.equal(shownOutcome({ outcome: 'success' }), 'success');
    assert.equal(shownOutcome({ outcome: 'success', next: ['answer'] }), 'paused');
    assert.equal(shownOutcome({ outcome: 'success', waits: true, next: ['answer'] }), 'interrupted');
    assert.equal(shownOutcome({ outcome: 'cancelled', next: ['answer'] }), 'cancelled');
  });
});
