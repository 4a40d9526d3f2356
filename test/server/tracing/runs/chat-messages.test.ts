import assert from 'node:assert/strict';
import { addTurn, chatMessages, chatOfRun } from '../../../../src/server/tracing/runs/chat-messages.ts';

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

describe('messages in the form of chat completions', () => {
  it('have roles, tool calls and their results, whatever form they came in', () => {
    const lc = (kind: string, kwargs: object) => ({
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', kind],
      kwargs,
    });
    const called = {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"what":"key"}' } }],
    };
    const result = { role: 'tool', content: 'Here.', tool_call_id: 'c1' };
    assert.deepEqual(
      chatMessages({
        messages: [
          [
            lc('SystemMessage', { content: 'Be brief.' }),
            lc('HumanMessage', { content: 'Find my key.', id: 'm1' }),
            lc('AIMessage', { content: '', tool_calls: [{ id: 'c1', name: 'find', args: { what: 'key' } }] }),
            lc('ToolMessage', { content: 'Here.', tool_call_id: 'c1', name: 'find' }),
          ],
        ],
      }),
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Find my key.', id: 'm1' },
        called,
        { ...result, name: 'find' },
      ],
    );
    assert.deepEqual(
      chatMessages([
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'c1', name: 'find', input: { what: 'key' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'Here.' }] },
      ]),
      [called, result],
    );
    assert.deepEqual(chatMessages({ choices: [{ message: assistant('Yes.'), finish_reason: 'stop' }] }), [
      assistant('Yes.'),
    ]);
    assert.deepEqual(chatMessages({ question: 'none' }), []);
  });

  it('keep roles of their own, but not what is no message', () => {
    const critic = { role: 'critic', content: 'Too long.' };
    assert.deepEqual(chatMessages([user('Hi'), critic, assistant('Hello'), { note: 1 }]), [
      user('Hi'),
      critic,
      assistant('Hello'),
    ]);
    const lc = (kind: string, kwargs: object) => ({
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', kind],
      kwargs,
    });
    assert.deepEqual(
      chatMessages([
        lc('ChatMessage', critic),
        lc('ChatMessage', { role: 'user', content: 'Hi' }),
        lc('RemoveMessage', { id: 'm1', content: '' }),
        { type: 'generic', data: critic },
      ]),
      [critic, user('Hi'), critic],
    );
  });

  it('keep pictures and reasoning as parts', () => {
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    assert.deepEqual(
      chatMessages([
        { role: 'user', content: [{ type: 'text', text: 'What is it?' }, picture] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.' },
            { type: 'text', text: 'A dot.' },
          ],
        },
      ]),
      [
        { role: 'user', content: [{ type: 'text', text: 'What is it?' }, picture] },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', reasoning: 'Hm.' },
            { type: 'text', text: 'A dot.' },
          ],
        },
      ],
    );
  });
});

describe('messages of a run', () => {
  it('are those of its input and output, each once', () => {
    const inputs = { messages: [user('Hi')] };
    const answer = assistant('Hello');
    assert.deepEqual(chatOfRun({ inputs, outputs: { choices: [{ message: answer }] } }), [
      user('Hi'),
      answer,
    ]);
    const withIds = [
      { type: 'human', content: 'Hi', id: '1' },
      { type: 'ai', content: 'Hello', id: '2' },
    ];
    assert.deepEqual(chatOfRun({ inputs, outputs: { messages: withIds } }), [
      { ...user('Hi'), id: '1' },
      { ...answer, id: '2' },
    ]);
    assert.deepEqual(chatOfRun({ inputs, outputs: null }), [user('Hi')]);
  });
});

describe('a conversation', () => {
  const first = [user('Hi'), assistant('Hello')];
  const both = [...first, user('Bye'), assistant('See you')];

  it('continues with turns that hold only what is new, everything, or the end of everything', () => {
    assert.deepEqual(addTurn(first, both.slice(2)), both);
    assert.deepEqual(addTurn(first, both), both);
    assert.deepEqual(addTurn(first, both.slice(1)), both);
  });

  it('has the same message twice when it was said twice', () => {
    assert.deepEqual(addTurn(first, first), [...first, ...first]);
  });

  it('has its instructions once', () => {
    const told = { role: 'system', content: 'Be brief.' };
    assert.deepEqual(addTurn([told, ...first], [told, ...both.slice(1)]), [told, ...both]);
    assert.deepEqual(addTurn([told, ...first], [told, ...both.slice(2)]), [told, ...both]);
  });
});
