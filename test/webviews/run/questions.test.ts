import assert from 'node:assert/strict';
import {
  answerKeys,
  fillIn,
  initialOf,
  type Question,
  questionsOf,
} from '../../../src/webviews/run/questions.ts';

function only(payload: unknown): Question {
  const { questions } = questionsOf(payload);
  assert.equal(questions.length, 1);
  const [question] = questions;
  assert.ok(question);
  return question;
}

function labels({ options }: Question): string[] {
  return options.map(({ label, asks }) =>
    asks === 'nothing' ? label : asks === 'json' ? `${label}, JSON` : `${label}: ${namesOf(asks.form)}`,
  );
}

const namesOf = ({ properties }: { readonly properties: readonly { readonly name: string }[] }) =>
  properties.map(({ name }) => name).join(' ');

function optionOf(question: Question, label: string) {
  const found = question.options.find((option) => option.label === label);
  assert.ok(found);
  return found;
}

describe('the answers an interrupt offers', () => {
  it('are its allowed decisions, with a form for what one of them needs', () => {
    const allowed = [
      { decision: 'approve', description: 'Go on.', resume: { decision: 'approve' } },
      { decision: 'edit', resume: { decision: 'edit', question: 'in other words' } },
    ];
    const question = only({ reason: 'unsure', allowed });
    assert.deepEqual(labels(question), ['Approve', 'Edit: question']);
    assert.equal(question.options[0]?.description, 'Go on.');
    const edit = optionOf(question, 'Edit');
    assert.deepEqual(fillIn(edit, { question: 'Why?' }), { decision: 'edit', question: 'Why?' });
    assert.deepEqual(questionsOf({ allowed }).resume([{ decision: 'approve' }]), { decision: 'approve' });
  });

  it('are its options or choices', () => {
    assert.deepEqual(labels(only({ options: ['yes', 'no'] })), ['yes', 'no']);
    assert.deepEqual(only({ choices: [{ label: 'Yes', value: true }] }).options[0]?.answer, true);
  });

  it('are a form where the payload has the schema of its answer', () => {
    const response_schema = { type: 'object', properties: { days: { type: 'integer' } } };
    const { form } = only({ question: 'How long?', response_schema });
    assert.equal(form && namesOf(form), 'days');
  });

  it("are the decisions of LangChain's human-in-the-loop middleware, separately for each action", () => {
    const { questions, resume } = questionsOf({
      action_requests: [
        { name: 'send_mail', args: { to: 'ada@example.com', cc: null }, description: 'A mail goes out.' },
        { name: 'delete_file', args: { path: 'a.txt' } },
      ],
      review_configs: [
        { action_name: 'delete_file', allowed_decisions: ['reject', 'respond'] },
        { action_name: 'send_mail', allowed_decisions: ['approve', 'edit', 'reject'] },
      ],
    });
    assert.deepEqual(questions.map(labels), [
      ['Approve', 'Edit: to cc', 'Reject: message'],
      ['Reject: message', 'Respond: message'],
    ]);
    const [mail, file] = questions;
    assert.ok(mail && file);
    assert.equal(mail.action?.description, 'A mail goes out.');
    const edit = optionOf(mail, 'Edit');
    assert.deepEqual(initialOf(edit), { to: 'ada@example.com', cc: null });
    const decisions = [
      fillIn(edit, { to: 'bo@example.com' }),
      fillIn(optionOf(file, 'Reject'), { message: 'No.' }),
    ];
    assert.deepEqual(resume(decisions), {
      decisions: [
        { type: 'edit', edited_action: { name: 'send_mail', args: { to: 'bo@example.com', cc: null } } },
        { type: 'reject', message: 'No.' },
      ],
    });
  });

  it('use the schema of the arguments where there is one', () => {
    const args_schema = {
      type: 'object',
      properties: { amount: { type: 'integer', title: 'Amount' }, note: { type: 'string' } },
      required: ['amount'],
    };
    const question = only({
      action_requests: [{ name: 'pay', args: { amount: 3, note: 'rent', hidden: [1, 'a'] } }],
      review_configs: [{ action_name: 'pay', allowed_decisions: ['edit'], args_schema }],
    });
    const edit = optionOf(question, 'Edit');
    assert.ok(typeof edit.asks !== 'string');
    assert.deepEqual(
      edit.asks.form.properties.map(({ name, required, field }) => [name, required, field.kind]),
      [
        ['amount', true, 'number'],
        ['note', false, 'text'],
      ],
    );
    assert.deepEqual(fillIn(edit, { amount: 4 }), {
      type: 'edit',
      edited_action: { name: 'pay', args: { hidden: [1, 'a'], amount: 4 } },
    });
  });

  it('are what an agent inbox allows, a list of responses', () => {
    const config = { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: true };
    const request = {
      action_request: { action: 'book', args: { nights: 2 } },
      config,
      description: '# Book',
    };
    for (const payload of [[request], request]) {
      const question = only(payload);
      assert.deepEqual(labels(question), ['Accept', 'Edit: nights', 'Respond: args', 'Ignore']);
      assert.deepEqual(question.action, { name: 'book', args: { nights: 2 }, description: '# Book' });
      const { resume } = questionsOf(payload);
      assert.deepEqual(resume([optionOf(question, 'Accept').answer]), [{ type: 'accept', args: null }]);
      assert.deepEqual(resume([fillIn(optionOf(question, 'Edit'), { nights: 3 })]), [
        { type: 'edit', args: { action: 'book', args: { nights: 3 } } },
      ]);
      assert.deepEqual(resume([fillIn(optionOf(question, 'Respond'), { args: 'Ask again.' })]), [
        { type: 'response', args: 'Ask again.' },
      ]);
    }
    assert.equal(questionsOf([request, request]).questions.length, 2);
  });

  it('are JSON where no form can show the requested schema', () => {
    const allowed = [{ decision: 'edit', resume: { decision: 'edit', rows: [{ a: 1 }] } }];
    assert.deepEqual(labels(only({ allowed })), ['Edit, JSON']);
  });

  it('hide only the fields of the payload that they come from', () => {
    assert.deepEqual(answerKeys({ options: ['a'], choices: ['b'], schema: 'public' }).filter(Boolean), [
      'options',
    ]);
    assert.deepEqual(answerKeys({ schema: 'public', options: { cascade: true } }).filter(Boolean), []);
    const schema = { type: 'object', properties: { reason: { type: 'string' } } };
    assert.deepEqual(answerKeys({ schema, allowed: 'anything' }).filter(Boolean), ['schema']);
    assert.deepEqual(answerKeys({ schema: { type: 'array' } }).filter(Boolean), []);
    assert.deepEqual(answerKeys({ allowed: [{ path: '/home' }] }).filter(Boolean), []);
  });

  it('are empty for any other payload', () => {
    for (const payload of ['Really?', 7, null, {}, [], { allowed: [7, {}] }])
      assert.deepEqual(labels(only(payload)), []);
  });

  it("are the decisions of LangChain's middleware in the spelling of JavaScript, too", () => {
    const { questions, resume } = questionsOf({
      actionRequests: [{ name: 'pay', args: { sum: 3 } }],
      reviewConfigs: [
        {
          actionName: 'pay',
          allowedDecisions: ['approve', 'edit'],
          argsSchema: { type: 'object', properties: { sum: { type: 'integer' }, to: { type: 'string' } } },
        },
      ],
    });
    const [question] = questions;
    assert.ok(question);
    assert.deepEqual(labels(question), ['Approve', 'Edit: sum to']);
    assert.deepEqual(resume([fillIn(optionOf(question, 'Edit'), { sum: 4 })]), {
      decisions: [{ type: 'edit', editedAction: { name: 'pay', args: { sum: 4 } } }],
    });
  });

  const schema = { type: 'object', properties: { color: { type: 'string' } } };
  for (const [what, payload] of Object.entries({
    'with a response_schema': {
      type: 'mcp_elicitation',
      mode: 'form',
      message: 'Which?',
      response_schema: schema,
    },
    'with a requestedSchema': { type: 'mcp_elicitation', message: 'Which?', requestedSchema: schema },
    'without a type': { mode: 'form', message: 'Which?', requestedSchema: schema },
    'as the only request of a tool': {
      tool_name: 'paint',
      requests: [{ mode: 'form', message: 'Which?', requestedSchema: schema }],
    },
  }))
    it(`are to accept, to decline or to cancel a question of an MCP server ${what}`, () => {
      const question = only(payload);
      assert.equal(question.elicitation?.message, 'Which?');
      assert.equal(question.form && namesOf(question.form), 'color');
      assert.deepEqual(
        question.refusals.map(({ answer }) => answer),
        [{ action: 'decline' }, { action: 'cancel' }],
      );
      const accepted = { action: 'accept', content: { color: 'red' } };
      assert.deepEqual(question.answerOfForm({ color: 'red' }), accepted);
      assert.deepEqual(questionsOf(payload).resume([accepted]), accepted);
    });

  it("go by the keys of the requests in LangChain's own elicitations", () => {
    const { questions, resume } = questionsOf({
      type: 'mcp_elicitation',
      tool_name: 'paint',
      requests: [
        { key: 'a', mode: 'form', message: 'Which?', requested_schema: schema },
        { key: 'b', mode: 'url', message: 'Connect', url: 'https://example.com/connect' },
      ],
    });
    assert.deepEqual(
      questions.map(({ elicitation }) => [elicitation?.mode, elicitation?.toolName]),
      [
        ['form', 'paint'],
        ['url', 'paint'],
      ],
    );
    assert.deepEqual(resume([{ action: 'cancel' }, { action: 'accept' }]), {
      responses: { a: { action: 'cancel' }, b: { action: 'accept' } },
    });
  });

  it('are only the content when a payload with a schema is no elicitation', () => {
    const question = only({ message: 'Which?', response_schema: schema });
    assert.equal(question.elicitation, undefined);
    assert.deepEqual(question.answerOfForm({ color: 'red' }), { color: 'red' });
  });
});
