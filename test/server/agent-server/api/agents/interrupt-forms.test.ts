import assert from 'node:assert/strict';
import { FormError } from '../../../../../src/server/agent-server/api/agents/asked-question.ts';
import { questionsOf } from '../../../../../src/server/agent-server/api/agents/interrupt-forms.ts';

describe('the form of an interrupt', () => {
  const ask = (pattern: string) =>
    questionsOf(
      {
        mode: 'form',
        message: 'Your postcode',
        requestedSchema: { type: 'object', properties: { postcode: { type: 'string', pattern } } },
      },
      { allowInsecureUrls: false },
    );

  it('accepts content that matches its pattern, and names the field of any other', () => {
    const [question] = ask('^\\d{5}$').questions;
    const reply = (postcode: string) => ({ action: 'accept' as const, content: { postcode } });
    assert.deepEqual(question?.answer(reply('12345')), reply('12345'));
    assert.throws(() => question?.answer(reply('x')), { name: 'FormError', message: /^content\.postcode: / });
  });

  it('is refused before it is asked if its pattern is not valid', () => {
    assert.throws(
      () => ask('['),
      (error) => error instanceof FormError && /requestedSchema/.test(error.message),
    );
  });
});
