import assert from 'node:assert/strict';
import { interruptOptions } from '../../../src/webviews/run/interrupt-options.ts';

const labels = (payload: unknown) =>
  interruptOptions(payload).map(({ label, isPattern }) => (isPattern ? `${label}…` : label));

describe('the answers an interrupt offers', () => {
  it('are its allowed decisions; one with a text to fill in is a pattern', () => {
    const allowed = [
      { decision: 'approve', description: 'Go on.', resume: { decision: 'approve' } },
      { decision: 'edit', resume: { decision: 'edit', question: 'in other words' } },
    ];
    assert.deepEqual(interruptOptions({ reason: 'unsure', allowed }), [
      { label: 'Approve', description: 'Go on.', resume: { decision: 'approve' }, isPattern: false },
      {
        label: 'Edit',
        description: undefined,
        resume: { decision: 'edit', question: 'in other words' },
        isPattern: true,
      },
    ]);
  });

  it('are its options or choices', () => {
    assert.deepEqual(labels({ options: ['yes', 'no'] }), ['yes', 'no']);
    assert.deepEqual(interruptOptions({ choices: [{ label: 'Yes', value: true }] })[0]?.resume, true);
  });

  it("are the decisions of LangChain's human-in-the-loop middleware, one for each action", () => {
    const payload = {
      action_requests: [{ name: 'send_mail', args: {} }],
      review_configs: [{ action_name: 'send_mail', allowed_decisions: ['approve', 'edit', 'reject'] }],
    };
    assert.deepEqual(labels(payload), ['Approve', 'Edit…', 'Reject…']);
    assert.deepEqual(interruptOptions(payload)[0]?.resume, { decisions: [{ type: 'approve' }] });
  });

  it('are what an agent inbox allows', () => {
    const config = { allow_accept: true, allow_edit: true, allow_respond: false, allow_ignore: true };
    assert.deepEqual(labels([{ action_request: { action: 'x', args: {} }, config }]), [
      'Accept',
      'Edit…',
      'Ignore',
    ]);
  });

  it('are none for any other payload', () => {
    for (const payload of ['Really?', 7, null, {}, [], { allowed: [7, {}] }])
      assert.deepEqual(labels(payload), []);
  });
});
