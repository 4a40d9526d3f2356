import assert from 'node:assert/strict';
import { play } from '../../../src/webviews/run/transcript.ts';
import { emptyTranscript, type Row } from '../../../src/webviews/run/transcript-model.ts';

/** The rows of a thread with these messages. */
function rowsOf(...messages: readonly object[]): readonly Row[] {
  return play(emptyTranscript, [{ type: 'history', values: { messages }, interrupts: [] }]).rows;
}

/** Each call in an answer, with its result. */
function cardsOf(row: Row | undefined) {
  assert.ok(row?.kind === 'ai');
  return row.toolCalls.map(({ id = '', name, problem }) => ({
    name,
    result: row.results[id]?.text,
    ...(row.results[id]?.failed === true && { failed: true }),
    ...(problem !== undefined && { problem }),
  }));
}

describe('a tool call in the run panel', () => {
  it('has the result of a tool that the provider runs itself, so the answer does not repeat it', () => {
    const [row] = rowsOf({
      type: 'ai',
      id: 'a',
      tool_calls: [{ id: 't1', name: 'get_weather', args: { city: 'Paris' }, type: 'tool_call' }],
      content: [
        { type: 'text', text: 'I search. ' },
        { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 's1',
          content: [{ type: 'web_search_result', title: 'X', url: 'https://example.com' }],
        },
        { type: 'tool_use', id: 't1', name: 'get_weather', input: { city: 'Paris' } },
        { type: 'text', text: 'It is there.' },
      ],
    });
    assert.deepEqual(cardsOf(row), [
      { name: 'get_weather', result: undefined },
      { name: 'web_search', result: '{"type":"web_search_result","title":"X","url":"https://example.com"}' },
    ]);
    assert.ok(row?.kind === 'ai');
    assert.equal(row.text, 'I search. It is there.');
    assert.deepEqual(row.files, []);
  });

  it('has the picture in its result', () => {
    const image = { type: 'image', base64: 'iVBORw0KGgo=', mime_type: 'image/png' };
    const [row] = rowsOf({
      type: 'ai',
      id: 'a',
      content: [
        { type: 'tool_use', id: 't1', name: 'draw', input: {} },
        { type: 'tool_result', tool_use_id: 't1', content: [image] },
      ],
    });
    assert.ok(row?.kind === 'ai');
    assert.deepEqual(
      row.results.t1?.files.map(({ mime }) => mime),
      ['image/png'],
    );
  });

  it('is shown with its problem when its arguments are not JSON', () => {
    const [row] = rowsOf({
      type: 'ai',
      id: 'a',
      content: '',
      tool_calls: [],
      invalid_tool_calls: [
        {
          id: 't1',
          name: 'get_weather',
          args: '{"city": ',
          error: 'Malformed args.',
          type: 'invalid_tool_call',
        },
      ],
    });
    assert.deepEqual(cardsOf(row), [{ name: 'get_weather', result: undefined, problem: 'Malformed args.' }]);
  });

  it('has its result when that comes as a message, even as a failure', () => {
    const rows = rowsOf(
      {
        type: 'ai',
        id: 'a',
        content: '',
        tool_calls: [
          { id: 't1', name: 'one', args: {}, type: 'tool_call' },
          { id: 't2', name: 'two', args: {}, type: 'tool_call' },
        ],
      },
      { type: 'tool', id: 'r1', tool_call_id: 't1', content: [{ type: 'text', text: 'first' }] },
      { type: 'tool', id: 'r2', tool_call_id: 't2', content: 'second', status: 'error' },
    );
    assert.equal(rows.length, 1);
    assert.deepEqual(cardsOf(rows[0]), [
      { name: 'one', result: 'first' },
      { name: 'two', result: 'second', failed: true },
    ]);
  });
});
