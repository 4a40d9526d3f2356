import assert from 'node:assert/strict';
import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream';
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';
import { joinEvents } from '../../src/run-files/join-events.ts';

/** A stream in the form in which the SDKs read one that a server passes on: one event per line. */
function streamOf(events: readonly unknown[]): ReadableStream {
  return new Response(events.map((event) => `${JSON.stringify(event)}\n`).join('')).body ?? assert.fail();
}

describe('the events that a model streamed', () => {
  it("are one answer as OpenAI's SDK puts it together, with the arguments of calls", async () => {
    const chunk = (choice: object, more: object = {}) => ({
      ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-5-mini' },
      choices: [{ index: 0, finish_reason: null, ...choice }],
      ...more,
    });
    const call = (piece: object) => chunk({ delta: { tool_calls: [{ index: 0, ...piece }] } });
    const events = [
      chunk({ delta: { role: 'assistant', content: '' } }),
      chunk({ delta: { content: 'It is ' } }),
      chunk({ delta: { content: 'sunny.' } }),
      call({ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }),
      call({ function: { arguments: '{"city":' } }),
      call({ function: { arguments: '"Kiel"}' } }),
      chunk({ delta: {}, finish_reason: 'tool_calls' }),
    ];
    const theirs = await ChatCompletionStream.fromReadableStream(streamOf(events)).finalMessage();
    const joined = joinEvents(events);
    const { choices } = Object(joined);
    const { content, role, tool_calls } = choices[0].message;
    assert.deepEqual(
      { content, role, calls: tool_calls.map(({ index: _, ...rest }: { index: number }) => rest) },
      {
        content: theirs.content,
        role: theirs.role,
        calls: theirs.tool_calls?.map(({ id, type, ...rest }) => ({ id, type, ...rest })),
      },
    );
    assert.equal(choices[0].finish_reason, 'tool_calls');
  });

  it("are one message as Anthropic's SDK puts it together, with thoughts and the input of tools", async () => {
    const delta = (index: number, piece: object) => ({ type: 'content_block_delta', index, delta: piece });
    const block = (index: number, content_block: object) => ({
      type: 'content_block_start',
      index,
      content_block,
    });
    const message = {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5' },
      ...{ content: [], stop_reason: null, stop_sequence: null },
      usage: { input_tokens: 5, output_tokens: 1 },
    };
    const events = [
      { type: 'message_start', message },
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      delta(0, { type: 'thinking_delta', thinking: 'm.' }),
      { type: 'content_block_stop', index: 0 },
      block(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'It is ' }),
      delta(1, { type: 'text_delta', text: 'sunny.' }),
      { type: 'content_block_stop', index: 1 },
      block(2, { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }),
      delta(2, { type: 'input_json_delta', partial_json: '{"city":' }),
      delta(2, { type: 'input_json_delta', partial_json: '"Kiel"}' }),
      { type: 'content_block_stop', index: 2 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { output_tokens: 20 },
      },
      { type: 'message_stop' },
    ];
    const theirs = await MessageStream.fromReadableStream(streamOf(events)).finalMessage();
    const { content, stop_reason, usage } = Object(joinEvents(events));
    assert.deepEqual(
      [content, stop_reason, usage.output_tokens],
      [theirs.content, theirs.stop_reason, theirs.usage.output_tokens],
    );
  });

  it('are the response in the last of them, or the one that their texts form together', () => {
    const response = { id: 'resp_1', output: [] };
    assert.deepEqual(
      joinEvents([{ type: 'response.created' }, { type: 'response.completed', response }]),
      response,
    );
    const piece = (text: string, more: object = {}) => ({
      candidates: [{ content: { parts: [{ text }], role: 'model' }, ...more }],
    });
    assert.deepEqual(joinEvents([piece('It is '), piece('sunny.', { finishReason: 'STOP' })]), {
      candidates: [{ content: { role: 'model', parts: [{ text: 'It is sunny.' }] }, finishReason: 'STOP' }],
    });
  });

  it('keep every citation of a text', () => {
    const citation = (cited_text: string) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'citations_delta', citation: { type: 'page_location', cited_text } },
    });
    const joined = joinEvents([
      { type: 'message_start', message: { role: 'assistant', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: [] } },
      citation('sunny'),
      citation('in Kiel'),
    ]);
    assert.deepEqual(Object(joined).content[0].citations, [
      { type: 'page_location', cited_text: 'sunny' },
      { type: 'page_location', cited_text: 'in Kiel' },
    ]);
  });

  it('stay a list if they have several candidates, because only one can be joined', () => {
    const events = [{ candidates: [{ index: 0 }, { index: 1, content: { parts: [{ text: 'or rain' }] } }] }];
    assert.deepEqual(joinEvents(events), events);
  });

  it('stay a list if they come from no known API', () => {
    assert.deepEqual(joinEvents([{ a: 1 }, 'b']), [{ a: 1 }, 'b']);
  });
});
