import assert from 'node:assert/strict';
import { withInterrupts } from '../../../../src/server/agent-server/runs/run-outcome.ts';

describe('the final values of a run', () => {
  it('contain the interrupts beside the state', () => {
    const interrupts = JSON.stringify({ task: [{ id: 'i', value: { question: 'sure?' } }] });
    assert.deepEqual(JSON.parse(withInterrupts('{"a":1}', interrupts)), {
      a: 1,
      __interrupt__: [{ id: 'i', value: { question: 'sure?' } }],
    });
    assert.deepEqual(JSON.parse(withInterrupts('{}', interrupts)), {
      __interrupt__: [{ id: 'i', value: { question: 'sure?' } }],
    });
  });

  it('are the unchanged state without interrupts, or when it is not an object', () => {
    assert.equal(withInterrupts('{"a":1}', '{}'), '{"a":1}');
    assert.equal(withInterrupts('{"a":1}', '{"task":[]}'), '{"a":1}');
    assert.equal(withInterrupts('[1]', '{"task":[{"value":1}]}'), '[1]');
  });
});
