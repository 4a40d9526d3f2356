import assert from 'node:assert/strict';
import { outcomeOf } from '../../src/client/span-outcome.ts';

describe('the outcome of a span', () => {
  it('is what the platform says', () => {
    assert.equal(outcomeOf({ status: 'success' }), 'success');
    assert.equal(outcomeOf({ status: 'pending', error: null }), 'pending');
    assert.equal(outcomeOf({ status: 'error' }), 'error');
    assert.equal(outcomeOf({ status: 'error', error: 'TypeError: x is no function' }), 'error');
  });

  it('is a pause where LangGraph has thrown an interrupt, in Python or JavaScript', () => {
    assert.equal(
      outcomeOf({ status: 'error', error: "GraphInterrupt((Interrupt(value='ok?'),))Traceback" }),
      'interrupted',
    );
    assert.equal(outcomeOf({ status: 'error', error: "NodeInterrupt('too long')" }), 'interrupted');
    const javaScript =
      '[\n  {\n    "value": "ok?"\n  }\n]\n\nGraphInterrupt: [\n  {}\n]\n    at interrupt (x.js:1:2)';
    assert.equal(outcomeOf({ status: 'error', error: javaScript }), 'interrupted');
  });

  it('is an error where one only speaks of interrupts', () => {
    assert.equal(outcomeOf({ status: 'error', error: 'Error: caught GraphInterrupt: no' }), 'error');
    assert.equal(outcomeOf({ status: 'error', error: 'GraphInterrupted too early' }), 'error');
  });
});
