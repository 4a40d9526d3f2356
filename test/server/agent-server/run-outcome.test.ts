import assert from 'node:assert/strict';
import { withInterrupts } from '../../../src/server/agent-server/runs/run-outcome.ts';

describe('the final values of a run', () => {
  it('say what the run asks for, beside the state', () => {
    const interrupts = JSON.stringify({ task: [{ id: 'i', value: { question: 'sure?' } }] });
    assert.deepEqual(JSON.parse(withInterrupts('{"a":1}', interrupts)), {
      a: 1,
      __interrupt__: [{ id: 'i', value: { question: 'sure?' } }],
    });
    assert.deepEqual(JSON.parse(withInterrupts('{}', interrupts)), {
      __interrupt__: [{ id: 'i', value: { question: 'sure?' } }],
    });
  });

  it('are the state as it is when nothing is asked, or when it is no object', () => {
    assert.equal(withInterrupts('{"a":1}', '{}'), '{"a":1}');
    assert.equal(withInterrupts('{"a":1}', '{"task":[]}'), '{"a":1}');
    assert.equal(withInterrupts('[1]', '{"task":[{"value":1}]}'), '[1]');
  });
});
