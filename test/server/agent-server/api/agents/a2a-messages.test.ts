import assert from 'node:assert/strict';
import { A2aMessage, toInput } from '../../../../../src/server/agent-server/api/agents/a2a-messages.ts';

describe('the input of an A2A message', () => {
  const input = (messages: unknown) =>
    toInput(
      A2aMessage.parse({
        role: 'user',
        messageId: 'm',
        parts: [
          { kind: 'data', data: { messages } },
          { kind: 'text', text: 'and this' },
        ],
      }),
    ).messages;

  it('has the messages of its data before its text, whether they are a list or a single one', () => {
    const text = { role: 'human', content: 'and this', id: 'm' };
    const one = { role: 'user', content: 'hi' };
    assert.deepEqual(input([one, 'you']), [one, 'you', text]);
    assert.deepEqual(input(one), [one, text]);
    assert.deepEqual(input('hi'), ['hi', text]);
    assert.deepEqual(input(null), [text]);
  });
});
