import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { load } from 'js-yaml';
import { readAdk, writeAdk } from '../../src/example-files/adk.ts';
import { formatOf, nameOfFile } from '../../src/example-files/format.ts';
import { readInspect, writeInspect } from '../../src/example-files/inspect.ts';
import { readPromptfoo, writePromptfoo } from '../../src/example-files/promptfoo.ts';

/** A file that the tool itself wrote, by `record.py` beside it. */
function recorded(name: string): Promise<string> {
  return readFile(path.join(import.meta.dirname, '../fixtures/example-files', name), 'utf8');
}

describe('the tests of a promptfoo configuration', () => {
  it('become examples, with everything except inputs and answers in the metadata', async () => {
    const examples = readPromptfoo(await recorded('promptfooconfig.yaml'));
    assert.deepEqual(
      examples.map(({ inputs, outputs }) => [inputs, outputs]),
      [
        [{ topic: 'bananas' }, null],
        [{ topic: 'avocado toast' }, null],
        [{ topic: 'new york city' }, null],
      ],
    );
    assert.deepEqual(examples[0]?.metadata, null);
    assert.deepEqual(examples[2]?.metadata, {
      promptfoo: { assert: [{ type: 'llm-rubric', value: 'ensure that the output is funny' }] },
    });
  });

  it('are written back unchanged', async () => {
    const text = await recorded('promptfooconfig.yaml');
    const { tests } = load(text) as { tests: unknown };
    assert.deepEqual(load(writePromptfoo(readPromptfoo(text))), tests);
  });

  it('expect an answer where they assert equality with one, even after it has been changed', () => {
    const [example] = readPromptfoo(
      '- description: Sum\n  vars: {a: 1}\n  assert:\n    - {type: equals, value: "2", metric: exact}\n    - type: is-json\n',
    );
    assert.ok(example);
    assert.deepEqual(example.outputs, { answer: '2' });
    assert.deepEqual(load(writePromptfoo([{ ...example, outputs: { answer: '3' } }])), [
      {
        description: 'Sum',
        vars: { a: 1 },
        assert: [{ type: 'equals', value: '3', metric: 'exact' }, { type: 'is-json' }],
      },
    ]);
  });

  it('have the variables and assertions of the default test', () => {
    const [example] = readPromptfoo(
      'defaultTest: {vars: {tone: dry}, assert: [{type: not-empty}], options: }\ntests: [{vars: {topic: x}}]\n',
    );
    assert.deepEqual(example?.inputs, { tone: 'dry', topic: 'x' });
    assert.deepEqual(example?.metadata, { promptfoo: { assert: [{ type: 'not-empty' }] } });
  });

  it('have all other fields of the default test too, and their own instead where both have one', () => {
    const [example] = readPromptfoo(
      [
        'defaultTest: {threshold: 0.5, metadata: {team: a, lang: en}, options: {prefix: p, transform: t}}',
        'tests: [{vars: {topic: x}, threshold: 0.9, metadata: {lang: de}, options: {transform: own}}]',
      ].join('\n'),
    );
    assert.deepEqual(example?.metadata, {
      team: 'a',
      lang: 'de',
      promptfoo: { threshold: 0.9, options: { prefix: 'p', transform: 'own' } },
    });
  });

  it('keep lists as one value, where promptfoo would make a test of each item', () => {
    const written = writePromptfoo([
      { inputs: { tags: ['a', 'b'] }, outputs: { answer: 'c' }, metadata: null },
    ]);
    assert.deepEqual(load(written), [
      {
        vars: { tags: ['a', 'b'] },
        assert: [{ type: 'equals', value: 'c' }],
        options: { disableVarExpansion: true },
      },
    ]);
  });

  it('are refused when they are in another file, or are not tests', () => {
    assert.throws(() => readPromptfoo('tests: file://tests.csv'), /The tests are in 'file:\/\/tests\.csv'/);
    assert.throws(() => readPromptfoo('tests:\n  - vars: 1\n'), /not promptfoo's tests/);
    assert.throws(() => readPromptfoo('a: [1'), /not valid YAML/);
    const levels = Array.from({ length: 9 }, (_, at) => {
      const below = at === 0 ? 'lol' : `*a${at - 1}`;
      return `  a${at}: &a${at} [${Array(9).fill(below).join(', ')}]`;
    });
    // The “billion laughs”: aliases of aliases, which expand to 9⁹ texts.
    const billionLaughs = `tests:\n- vars:\n${levels.map((line) => `  ${line}`).join('\n')}\n`;
    assert.throws(() => readPromptfoo(billionLaughs), /not valid YAML: its aliases expand to too much data/);
  });
});

describe('a file of Inspect samples', () => {
  it('becomes examples, from lines and from a list', async () => {
    const examples = readInspect(await recorded('samples.jsonl'));
    assert.deepEqual(readInspect(await recorded('samples.json')), examples);
    assert.deepEqual(
      examples.map(({ inputs, outputs }) => [Object.keys(inputs), outputs]),
      [
        [['input'], { target: 'Paris' }],
        [['messages', 'choices'], { target: 'B' }],
        [['input'], { target: ['a flag', 'flag'] }],
      ],
    );
    assert.deepEqual(examples[0]?.metadata, { level: 'easy', inspect: { id: 'capital' } });
  });

  it('is written back unchanged', async () => {
    const text = await recorded('samples.json');
    const lines = writeInspect(readInspect(text)).trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      JSON.parse(text),
    );
  });

  it('is written from any examples', () => {
    const [one, two, three] = writeInspect([
      { id: 'x', inputs: { question: 'Why?' }, outputs: { answer: 'So.' }, metadata: { a: 1 } },
      { inputs: { a: 1, b: 2 }, outputs: { sum: 3 }, metadata: null },
      { inputs: { input: 'Where?' }, outputs: { target: 'Paris', reason: 'capital' }, metadata: null },
    ])
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(one, { id: 'x', input: 'Why?', target: 'So.', metadata: { a: 1 } });
    assert.deepEqual(two, { input: '{"a":1,"b":2}', target: '{"sum":3}' });
    assert.deepEqual(three, { input: 'Where?', target: '{"target":"Paris","reason":"capital"}' });
    const [odd] = writeInspect([
      { inputs: { input: 'Why?', choices: { a: 1 } }, outputs: null, metadata: null },
    ])
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(odd, { input: '{"input":"Why?","choices":{"a":1}}' });
  });

  it('is refused with the line or the field that is wrong', () => {
    assert.throws(() => readInspect('{"input": "a"}\n{'), /Line 2 is not a JSON object/);
    assert.throws(() => readInspect('[{"target": "a"}]'), /0\.input: must be a text or a list of messages/);
  });
});

describe('an eval set of ADK', () => {
  it('becomes examples of conversations, with the tools that are expected', async () => {
    const [one, two] = readAdk(await recorded('lights.evalset.json'));
    assert.deepEqual(one?.inputs, { messages: [{ role: 'user', content: 'Turn off device_2.' }] });
    assert.deepEqual(one?.outputs, {
      messages: [
        {
          role: 'assistant',
          content: 'I have set device_2 to off.',
          tool_calls: [{ name: 'set_device_info', args: { device_id: 'device_2', status: 'OFF' } }],
        },
      ],
    });
    assert.deepEqual(two?.inputs, {
      messages: [
        { role: 'user', content: "What's the temperature in the Living Room?" },
        {
          role: 'assistant',
          content: 'It is 22 degrees.',
          tool_calls: [{ name: 'get_temperature', args: { location: 'Living Room' } }],
        },
        { role: 'user', content: 'And tomorrow?' },
      ],
    });
    assert.deepEqual(two?.outputs, { messages: [{ role: 'assistant', content: 'I do not know.' }] });
  });

  it('is written back unchanged', async () => {
    const text = await recorded('lights.evalset.json');
    const { eval_cases } = JSON.parse(text);
    assert.deepEqual(JSON.parse(writeAdk(readAdk(text), 'lights')).eval_cases, eval_cases);
  });

  it('is written only from conversations', () => {
    const example = { inputs: { question: 'Why?' }, outputs: null, metadata: null };
    assert.throws(() => writeAdk([example], 'set'), /Example 1 has no 'messages' in its inputs/);
    const asked = { messages: [{ role: 'user', content: 'Why?' }] };
    for (const outputs of [null, {}, { messages: [] }]) {
      const { eval_cases } = JSON.parse(writeAdk([{ inputs: asked, outputs, metadata: null }], 'set'));
      assert.equal(eval_cases[0].conversation.length, 1);
      assert.equal(eval_cases[0].conversation[0].final_response, undefined);
    }
    const more = { inputs: { ...asked, language: 'de' }, outputs: null, metadata: null };
    assert.throws(() => writeAdk([more], 'set'), /Example 1 has 'language' in its inputs, .* only messages/);
    const other = { id: 'x', inputs: asked, outputs: { answer: 'So.' }, metadata: null };
    assert.throws(() => writeAdk([other], 'set'), /Example x has no 'messages' in its outputs/);
  });

  it('has the earlier answers of a turn as intermediate responses, and no system messages', () => {
    const call = { name: 'refund', args: {}, id: 'c' };
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Refund' },
      { role: 'assistant', content: 'Let me check.', tool_calls: [call] },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', content: 'ok' },
      { role: 'assistant', content: 'Done.' },
      { role: 'system', content: 'The user is upset.' },
    ];
    const set = writeAdk([{ inputs: { messages }, outputs: null, metadata: null }], 'set');
    assert.deepEqual(JSON.parse(set).eval_cases[0].conversation, [
      {
        user_content: { parts: [{ text: 'Refund' }], role: 'user' },
        final_response: { parts: [{ text: 'Done.' }], role: 'model' },
        intermediate_data: {
          tool_uses: [call, call],
          intermediate_responses: [['model', [{ text: 'Let me check.' }]]],
        },
      },
    ]);
  });

  it('is not written from messages without a question, or before the first one', () => {
    const greeting = { role: 'assistant', content: 'Hello.' };
    const write = (...messages: object[]) =>
      writeAdk([{ inputs: { messages }, outputs: null, metadata: null }], 'set');
    assert.throws(() => write(greeting), /Example 1 has no question, which an eval case needs\. Export/);
    assert.throws(
      () => write({ role: 'system', content: '' }, greeting, { role: 'user', content: 'Refund' }),
      /Example 1 has messages before its first question, which an eval case cannot have\. Export/,
    );
  });

  it('is refused when a case has no conversation', () => {
    const set = JSON.stringify({ eval_set_id: 's', eval_cases: [{ eval_id: 'c' }] });
    assert.throws(() => readAdk(set), /The eval case 'c' has no conversation/);
  });
});

describe('the name of a file of examples', () => {
  it('says its format and its dataset', () => {
    const files = ['a.csv', 'a.jsonl', 'promptfooconfig.yaml', 'b.yml', 'lights.evalset.json'];
    assert.deepEqual(
      files.map((file) => [formatOf(file, undefined), nameOfFile(file)]),
      [
        ['csv', 'a'],
        ['jsonl', 'a'],
        ['promptfoo', 'promptfooconfig'],
        ['promptfoo', 'b'],
        ['adk', 'lights'],
      ],
    );
    assert.throws(() => formatOf('a.json', undefined), /Pass --format with csv, jsonl, .* or inspect/);
    assert.equal(formatOf('a.json', 'inspect'), 'inspect');
  });
});
