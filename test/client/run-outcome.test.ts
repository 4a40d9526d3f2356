import assert from 'node:assert/strict';
import { outcomeOf } from '../../src/client/run-outcome.ts';
import type { ThreadState } from '../../src/contract/agent-server/threads.ts';

/** A state before a node, whose task may ask a person something. */
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

  it('is interrupted when a platform calls a run so that asks a person something', () => {
    assert.equal(
      outcomeOf({ status: 'interrupted' }, stateBefore('answer', { value: 'Really?' })),
      'interrupted',
    );
  });

  it('is success for a run that a breakpoint has stopped', () => {
    assert.equal(outcomeOf({ status: 'success' }, stateBefore('answer')), 'success');
  });
});
