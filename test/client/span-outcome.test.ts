import assert from 'node:assert/strict';
import { outcomeOf } from '../../src/client/span-outcome.ts';

describe('the outcome of a span', () => {
  it('is the platform’s status', () => {
    assert.equal(outcomeOf({ status: 'success' }), 'success');
    assert.equal(outcomeOf({ status: 'pending', error: null }), 'pending');
    assert.equal(
      outcomeOf({ status: 'error', error: "ParentCommand(Command(goto='b'))Traceback" }),
      'success',
    );
    assert.equal(outcomeOf({ status: 'error' }), 'error');
    assert.equal(outcomeOf({ status: 'error', error: 'TypeError: x is no function' }), 'error');
  });

  it('is interrupted when LangGraph threw an interrupt, in Python or JavaScript', () => {
    assert.equal(
      outcomeOf({ status: 'error', error: "GraphInterrupt((Interrupt(value='ok?'),))Traceback" }),
      'interrupted',
    );
    assert.equal(outcomeOf({ status: 'error', error: "NodeInterrupt('too long')" }), 'interrupted');
    const javaScript =
      '[\n  {\n    "value": "ok?"\n  }\n]\n\nGraphInterrupt: [\n  {}\n]\n    at interrupt (x.js:1:2)';
    assert.equal(outcomeOf({ status: 'error', error: javaScript }), 'interrupted');
  });

  it('is canceled when the run was canceled, in Python or JavaScript', () => {
    const texts = [
      'This operation was aborted\n\nAbortError: This operation was aborted\n    at new DOMException',
      'Abort\n\nError: Abort\n    at AbortSignal.listener (runner.cjs:133:44)',
      'CancelledError()Traceback (most recent call last):\n\n  File "x.py", line 1',
    ];
    for (const error of texts) assert.equal(outcomeOf({ status: 'error', error }), 'cancelled', error);
    assert.equal(outcomeOf({ status: 'error', error: 'Error: Abort the mission' }), 'error');
    assert.equal(outcomeOf({ status: 'error', error: 'Error: caught AbortError: no' }), 'error');
  });

  it('is an error when a message only mentions interrupts', () => {
    assert.equal(outcomeOf({ status: 'error', error: 'Error: caught GraphInterrupt: no' }), 'error');
    assert.equal(outcomeOf({ status: 'error', error: 'GraphInterrupted too early' }), 'error');
  });
});
