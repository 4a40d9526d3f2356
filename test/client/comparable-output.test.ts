import assert from 'node:assert/strict';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { comparableOutput } from '../../src/client/comparable-output.ts';

describe('an output that is compared with another one', () => {
  it('has LangChain.js messages in plain form, without values that differ in every run', () => {
    const call = { id: 'call_1', name: 'find', args: { city: 'Genoa' } };
    const traced: unknown = JSON.parse(
      JSON.stringify({
        messages: [
          new HumanMessage({ content: 'What is 3 × 8?', id: 'a' }),
          new AIMessage({
            content: 'The answer is 24.',
            id: 'b',
            tool_calls: [call],
            response_metadata: { t: 1 },
          }),
        ],
        score: 1,
      }),
    );
    assert.match(JSON.stringify(traced), /"lc":1,"type":"constructor"/);
    assert.deepEqual(comparableOutput(traced), {
      messages: [
        { type: 'human', content: 'What is 3 × 8?' },
        { type: 'ai', content: 'The answer is 24.', tool_calls: [call] },
      ],
      score: 1,
    });
  });

  it('is unchanged if it has no messages', () => {
    for (const value of [
      { id: 'mine', type: 'document', content: 'A', list: [] },
      [1],
      'text',
      null,
      undefined,
    ])
      assert.deepEqual(comparableOutput(value), value);
  });
});
