import assert from 'node:assert/strict';
import fc from 'fast-check';
import { contentTexts } from '../../src/cli/render/span-content.ts';
import { HIDDEN_FIELDS } from '../../src/terms/fields.ts';
import type { MessagePart } from '../../src/terms/message-parts.ts';
import { readPayload } from '../../src/terms/payload.ts';

const serialized = (name: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', name],
  kwargs,
});
const call = (name: string, args: unknown, id?: string) => ({ kind: 'call', id, name, args });
const lines = (value: unknown) => contentTexts(value).join('\n').split('\n');

/** Forms that senders document or were observed to send; written by hand, not recorded. */
describe('the messages of a payload', () => {
  const paris = { city: 'Paris' };
  const forms: [of: string, value: unknown, lines: string[]][] = [
    [
      'the GenAI conventions',
      {
        messages: [
          { role: 'system', parts: [{ type: 'text', content: 'Be terse.' }] },
          { role: 'user', parts: [{ type: 'text', content: 'Weather in Paris?' }] },
          {
            role: 'assistant',
            parts: [
              { type: 'reasoning', content: 'They ask.' },
              { type: 'text', content: 'Let me look.' },
              { type: 'tool_call', id: 'c1', name: 'get_weather', arguments: paris },
            ],
            finish_reason: 'tool_call',
          },
          { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'sunny' }] },
        ],
      },
      [
        'system: Be terse.',
        'user: Weather in Paris?',
        'assistant:',
        '(They ask.)',
        'Let me look.',
        '→ get_weather {"city":"Paris"}',
        'tool:',
        '← sunny',
      ],
    ],
    [
      'Anthropic, with what its tools are asked and answer',
      {
        messages: [
          { role: 'user', content: 'Weather?' },
          {
            role: 'assistant',
            content: [
              { type: 'tool_use', id: 't1', name: 'get_weather', input: paris },
              { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } },
              {
                type: 'web_search_tool_result',
                tool_use_id: 's1',
                content: [{ type: 'web_search_result', title: 'X' }],
              },
            ],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'sunny' }] },
          { role: 'user', content: [{ type: 'document', source: { type: 'text', data: 'A page' } }] },
        ],
      },
      [
        'user: Weather?',
        'assistant:',
        '→ get_weather {"city":"Paris"}',
        '→ web_search {"query":"x"}',
        '← {"type":"web_search_result","title":"X"}',
        '{"type":"web_search_tool_result"}',
        'tool:',
        '← sunny',
        'user:',
        '{"type":"document","source":{"type":"text","data":"A page"}}',
      ],
    ],
    [
      "OpenAI's chat completions",
      {
        choices: [
          {
            index: 0,
            finish_reason: 'tool_calls',
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [
                { id: 'c', type: 'function', function: { name: 'find', arguments: '{"q":"tides"}' } },
              ],
            },
          },
        ],
        model: 'gpt',
      },
      ['assistant:', '→ find {"q":"tides"}', '{"model":"gpt"}'],
    ],
    [
      "OpenAI's Responses, as they are asked",
      { instructions: 'Be terse.', input: 'Weather?' },
      ['system: Be terse.', 'user: Weather?'],
    ],
    [
      'the Vercel AI SDK, as it is asked',
      { system: 'Be terse.', prompt: 'Weather?' },
      ['system: Be terse.', 'user: Weather?'],
    ],
    [
      'the Vercel AI SDK, with messages as the prompt',
      { system: 'Be terse.', prompt: [{ role: 'user', content: 'Weather?' }] },
      ['system: Be terse.', 'user: Weather?'],
    ],
    [
      'Python, which prints objects that are no words of a person',
      { messages: ["ChatMessage(role='user', blocks=[])"], tool_choice: 'auto' },
      [`{"messages":["ChatMessage(role='user', blocks=[])"],"tool_choice":"auto"}`],
    ],
    [
      "OpenAI's Responses, as they answer",
      {
        output: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'x' },
          {
            type: 'message',
            role: 'assistant',
            content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
          },
          { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c1', output: 'done' },
          { type: 'web_search_call', status: 'completed' },
        ],
      },
      [
        'assistant:',
        '(Hm)',
        'assistant: Hi',
        'assistant:',
        '→ f {}',
        'tool:',
        '← done',
        '{"type":"web_search_call","status":"completed"}',
      ],
    ],
    [
      'Gemini',
      {
        contents: [
          { role: 'user', parts: [{ text: 'Weather?' }] },
          { role: 'model', parts: [{ functionCall: { name: 'get_weather', args: paris } }] },
          {
            role: 'user',
            parts: [{ functionResponse: { name: 'get_weather', response: { sky: 'sunny' } } }],
          },
        ],
        systemInstruction: { parts: [{ text: 'Be terse.' }] },
      },
      [
        'system: Be terse.',
        'user: Weather?',
        'model:',
        '→ get_weather {"city":"Paris"}',
        'tool:',
        '← get_weather {"sky":"sunny"}',
      ],
    ],
    [
      "Google's ADK, as its model answers",
      { content: { role: 'model', parts: [{ text: 'hello' }] }, partial: false },
      ['model: hello'],
    ],
    [
      'Bedrock and Strands',
      {
        messages: [
          { role: 'user', content: [{ text: 'Weather?' }] },
          {
            role: 'assistant',
            content: [{ toolUse: { toolUseId: 'c1', name: 'get_weather', input: paris } }],
          },
          {
            role: 'user',
            content: [{ toolResult: { toolUseId: 'c1', status: 'success', content: [{ text: 'sunny' }] } }],
          },
        ],
      },
      ['user: Weather?', 'assistant:', '→ get_weather {"city":"Paris"}', 'tool:', '← sunny'],
    ],
    [
      'the Vercel AI SDK',
      {
        system: 'Be terse.',
        messages: [
          {
            role: 'assistant',
            content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'f', input: paris }],
          },
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId: 'c1',
                toolName: 'f',
                output: { type: 'text', value: 'sunny' },
              },
            ],
          },
        ],
      },
      [
        'system: Be terse.',
        'assistant:',
        '→ f {"city":"Paris"}',
        'tool:',
        '← f {"type":"text","value":"sunny"}',
      ],
    ],
    [
      "LangChain's dictionaries of messages",
      { messages: [{ type: 'ai', data: { content: 'It is sunny.', type: 'ai', tool_calls: [] } }] },
      ['ai: It is sunny.'],
    ],
    [
      "LangChain's constructors",
      {
        messages: [
          [
            serialized('SystemMessage', { content: 'Be brief.' }),
            serialized('HumanMessage', { content: 'Hi' }),
          ],
        ],
      },
      ['system: Be brief.', 'human: Hi'],
    ],
    [
      'generations',
      {
        generations: [[{ text: 'Yes?', message: serialized('AIMessageChunk', { content: 'Yes?' }) }]],
        llm_output: null,
      },
      ['ai: Yes?'],
    ],
    [
      "a node's command",
      { messages: [{ graph: null, update: { messages: [{ type: 'ai', content: 'Hi' }] }, goto: 'b' }] },
      ['ai: Hi', '{"goto":"b"}'],
    ],
    ["LangGraph's pairs", { messages: [['user', 'Weather?']] }, ['user: Weather?']],
    ['an output that is one', { output: { type: 'tool', name: 'find', content: '3' } }, ['tool find: 3']],
  ];
  for (const [of, value, expected] of forms) {
    it(`from ${of} are read`, () => assert.deepEqual(lines(value), expected));
  }

  it('have each call once, even if it is in the content, too', () => {
    const { messages } = readPayload({
      type: 'ai',
      content: [{ type: 'tool_use', id: 't1', name: 'f', input: paris }],
      tool_calls: [{ type: 'tool_call', id: 't1', name: 'f', args: paris }],
      additional_kwargs: {
        tool_calls: [{ id: 't1', function: { name: 'f', arguments: '{"city":"Paris"}' } }],
      },
    });
    assert.deepEqual(messages[0]?.parts, [call('f', paris, 't1')]);
    assert.equal(messages[0]?.rest, undefined);
  });

  it('have the reasoning that LangChain keeps beside their content, once', () => {
    const said = { type: 'ai', content: 'Paris.' };
    const thoughts = (message: object) =>
      readPayload({ messages: [{ ...said, ...message }] }).messages[0]?.parts.map(({ kind, ...part }) => [
        kind,
        'text' in part ? part.text : '',
      ]);
    const both = [
      ['reasoning', 'Hm.'],
      ['text', 'Paris.'],
    ];
    assert.deepEqual(thoughts({ additional_kwargs: { reasoning_content: 'Hm.' } }), both);
    const summary = [{ type: 'summary_text', text: 'Hm.' }];
    assert.deepEqual(thoughts({ additional_kwargs: { reasoning: { type: 'reasoning', summary } } }), both);
    const content = [
      { type: 'reasoning', reasoning: 'Hm.' },
      { type: 'text', text: 'Paris.' },
    ];
    assert.deepEqual(thoughts({ content, additional_kwargs: { reasoning_content: 'Hm.' } }), both);
  });

  it('are not found in plain data, which stays as it is', () => {
    for (const value of [
      { text: 'hello', page: 3, options: { lang: 'de' } },
      { output: { text: 'a', score: 1, sources: [] } },
      { type: 'document', content: 'x', title: 't', author: 'a' },
      { message: { text: 'a', page: 2 } },
      { messages: [1, 2] },
      { output: { answer: 42 } },
      { input: 'hello', model: 'e' },
      { messages: [] },
      'text',
      null,
      [],
    ])
      assert.deepEqual(readPayload(value), { messages: [], rest: value });
  });

  describe('leave nothing out', () => {
    const FIELDS = [
      ...[
        'messages',
        'content',
        'parts',
        'text',
        'tool_calls',
        'function',
        'arguments',
        'args',
        'input',
        'output',
      ],
      ...[
        'kwargs',
        'data',
        'update',
        'choices',
        'generations',
        'message',
        'candidates',
        'contents',
        'instructions',
      ],
      ...[
        'system',
        'summary',
        'response',
        'result',
        'toolUse',
        'functionCall',
        'functionResponse',
        'toolResult',
      ],
      ...[
        'reasoning',
        'reasoningContent',
        'reasoningText',
        'additional_kwargs',
        'name',
        'finish_reason',
        'status',
      ],
      ...['role', 'type', 'thought', 'source', 'value', 'function_call', 'tool_call_chunks', 'other', 'id'],
    ];
    const WORDS: Readonly<Record<string, readonly string[]>> = {
      role: ['user', 'assistant', 'system', 'tool', 'model'],
      type: [
        ...['human', 'ai', 'tool', 'text', 'output_text', 'reasoning', 'thinking', 'tool_use', 'tool_result'],
        ...['tool_call', 'tool_call_response', 'function_call', 'function_call_output', 'message', 'image'],
        ...['document', 'refusal', 'constructor', 'tool-call', 'server_tool_use', 'ChatGeneration'],
      ],
      id: ['HumanMessage', 'AIMessage'],
    };
    /** Trees of the field names that readers know, with a unique token at every leaf. */
    const tree = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 7 },
        { weight: 2, arbitrary: fc.constant('leaf') },
        { weight: 2, arbitrary: tie('object') },
        { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
      ),
      object: fc.array(fc.tuple(fc.constantFrom(...FIELDS), tie('value'), fc.nat()), { maxLength: 6 }),
    }));

    /** Objects are generated as lists of fields, so that fields can have meaningful values. */
    function build(drawn: unknown, count: { leaves: number }): unknown {
      if (drawn === 'leaf') return `leaf${count.leaves++};`;
      if (!Array.isArray(drawn)) return drawn;
      const isObject = drawn.every(
        (one) => Array.isArray(one) && FIELDS.includes(String(one[0])) && one.length === 3,
      );
      if (!isObject || drawn.length === 0) return drawn.map((one: unknown) => build(one, count));
      return Object.fromEntries(
        drawn.map(([name, value, seed]: [string, unknown, number]) => {
          const words = WORDS[name];
          const word = words?.[seed % words.length];
          if (name === 'id' && word !== undefined) return [name, seed % 2 === 0 ? ['x', word] : word];
          return [name, word !== undefined && seed % 5 > 0 ? word : build(value, count)];
        }),
      );
    }

    function leavesOf(value: unknown): string[] {
      if (typeof value === 'string') return value.startsWith('leaf') ? [value] : [];
      if (typeof value !== 'object' || value === null) return [];
      return Object.entries(value).flatMap(([name, inner]) =>
        HIDDEN_FIELDS.has(name) ? [] : leavesOf(inner),
      );
    }

    /** The text that the panel draws: it has a way to draw each kind of part. */
    function panelText(value: unknown): string {
      const { messages, rest } = readPayload(value);
      const partText = (part: MessagePart): unknown => part;
      return JSON.stringify([
        messages.map((message) => [
          message.writtenRole,
          message.name,
          message.parts.map(partText),
          message.rest,
        ]),
        rest,
      ]);
    }

    const examples = forms.map(([, value]) => value);
    const isWhole = (value: unknown) => {
      const terminal = contentTexts(value).join('\n');
      const panel = panelText(value);
      for (const leaf of leavesOf(value)) {
        assert.ok(
          terminal.includes(leaf),
          `${leaf} in the terminal's ${terminal} of ${JSON.stringify(value)}`,
        );
        assert.ok(panel.includes(leaf), `${leaf} in the panel's ${panel} of ${JSON.stringify(value)}`);
      }
    };

    it('of payloads with known fields, in any order', () => {
      fc.assert(
        fc.property(tree.object, (drawn) => isWhole(build(drawn, { leaves: 0 }))),
        { numRuns: 2000 },
      );
    });

    it('of payloads of every form with something added anywhere', () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...examples),
          fc.nat(),
          fc.constantFrom(...FIELDS),
          tree.value,
          (example, at, name, drawn) => {
            const value: unknown = structuredClone(example);
            const objects: Record<string, unknown>[] = [];
            JSON.stringify(value, (_, inner: unknown) => {
              if (typeof inner === 'object' && inner !== null && !Array.isArray(inner))
                objects.push(inner as Record<string, unknown>);
              return inner;
            });
            const object = objects[at % objects.length];
            if (object !== undefined && !(name in object)) object[name] = build(drawn, { leaves: 0 });
            isWhole(value);
          },
        ),
        { numRuns: 2000 },
      );
    });
  });
});
