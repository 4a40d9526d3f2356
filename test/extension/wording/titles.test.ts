import assert from 'node:assert/strict';
import { inputTitle } from '../../../src/extension/wording/titles.ts';

describe('the words that tell inputs apart', () => {
  const cases: [what: string, input: unknown, words: string | undefined][] = [
    ['a message as text', { messages: 'How do I purge?' }, 'How do I purge?'],
    ['a message with a role', { messages: [{ role: 'user', content: 'Hello\n there' }] }, 'Hello there'],
    [
      "a person's, not the system's",
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { type: 'human', content: 'Hi' },
        ],
      },
      'Hi',
    ],
    [
      'the text of blocks',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'Look at this' }, { type: 'image' }] }] },
      'Look at this',
    ],
    [
      "LangChain's serialized message",
      {
        messages: [
          {
            lc: 1,
            type: 'constructor',
            id: ['langchain_core', 'messages', 'HumanMessage'],
            kwargs: { content: 'Hi' },
          },
        ],
      },
      'Hi',
    ],
    [
      'a message of the GenAI conventions',
      {
        messages: [
          { role: 'system', parts: [{ type: 'text', content: 'Be terse.' }] },
          { role: 'user', parts: [{ type: 'text', content: 'Weather in Paris?' }] },
        ],
      },
      'Weather in Paris?',
    ],
    [
      'a message of the GenAI conventions that is cut off',
      '{"messages":[{"role":"system","parts":[{"type":"text","content":"Be terse."}]},{"role":"user","parts":[{"type":"text","content":"Weather in Par',
      'Weather in Par',
    ],
    [
      "what is asked beside instructions, of OpenAI's Responses",
      { instructions: 'Be terse.', input: 'Weather?' },
      'Weather?',
    ],
    [
      'the same, of the Vercel AI SDK',
      { system: 'Be terse.', prompt: 'Weather in Paris?' },
      'Weather in Paris?',
    ],
    ['the same, cut off', '{"system":"Be terse.","prompt":"Weather in Par', 'Weather in Par'],
    ['a message as a pair', { messages: [['user', 'Weather?']] }, 'Weather?'],
    ['a message as a pair that is cut off', '{"messages":[["user","Weath', 'Weath'],
    ['Gemini’s contents', { contents: [{ role: 'user', parts: [{ text: 'Weather?' }] }] }, 'Weather?'],
    [
      "a person's among LangChain's dictionaries",
      {
        messages: [
          { type: 'system', data: { content: 'Be brief.' } },
          { type: 'human', data: { content: 'Hi' } },
        ],
      },
      'Hi',
    ],
    [
      'a message that only calls a tool',
      { messages: [{ role: 'assistant', content: '', tool_calls: [] }] },
      undefined,
    ],
    ['a first value', { customer: 'Ada', crates: [{ label: 'figs' }] }, 'Ada'],
    ['a number', { count: 3 }, '3'],
    ['JSON', '{"messages":[{"role":"user","content":"Hi"}]}', 'Hi'],
    [
      'JSON that was cut off',
      '{"messages":[{"role":"user","content":"How do I \\"purge\\" tra',
      'How do I "purge" tra',
    ],
    ['a preview in words', 'How do I purge?', 'How do I purge?'],
    ['nothing', {}, undefined],
    ['an empty preview', '{}', undefined],
    ['no value', null, undefined],
    ['an answer to an interrupt', { lg_name: 'Command', resume: true }, undefined],
    [
      'an answer to an interrupt of a Python graph',
      { input: { graph: null, update: null, resume: { decision: 'approve' }, goto: [] } },
      undefined,
    ],
    ['an ID before words', { id: '01a207b4-8afb-7000-8000-02f0010e4df1', city: 'Bergen' }, 'Bergen'],
    [
      'an ID before words that are cut off',
      '{"id":"01a207b4-8afb-7000-8000-02f0010e4df1","at":"2026-11-23T09:20:02.299001Z","city":"Berg',
      'Berg',
    ],
    ['an ID alone', { id: '01a207b4-8afb-7000-8000-02f0010e4df1' }, undefined],
    [
      'the run that an evaluator is called with',
      {
        args: [
          {
            langSmithRunAndExample: {
              run: {
                id: '01a207b4-8afb-7000-8000-02f0010e4df1',
                name: '<lambda>',
                inputs: { question: 'The square of 3?', n: 3 },
              },
            },
          },
        ],
      },
      'The square of 3?',
    ],
    [
      'the beginning of such a call',
      '{"args":[{"langSmithRunAndExample":{"run":{"id":"01a207b4-8afb-7000-8000-02f0010e4df1","name":"<lambda>","start',
      undefined,
    ],
    [
      'the beginning of LlamaIndex’s settings',
      '{"init_state":{"is_running":false,"config":{"steps":{"call_tool":{"accepted_events":["<ToolCall(*, tool_name: str) -> None>"],"num_workers":4',
      undefined,
    ],
    ['an object of Python', { ctx: '<workflows.context.Context object at 0x7f0566e9d4d0>' }, undefined],
    ['a tag that somebody asks about', { question: '<details> in Markdown?' }, '<details> in Markdown?'],
    ['a state with an answer', { input: { resume: 'Ten years at sea' } }, 'Ten years at sea'],
  ];
  for (const [what, input, words] of cases)
    it(`are found in ${what}`, () => {
      assert.equal(inputTitle(input), words);
    });

  it('are no more than a row can show', () => {
    assert.equal(inputTitle({ text: 'x'.repeat(1000) })?.length, 120);
  });
});
