import assert from 'node:assert/strict';
import { describeDivergence } from '../../src/replay/divergence-text.ts';

const request = { method: 'POST', url: 'https://example.com/v1', headers: [], body: null };

function nearestLine(node: string): string | undefined {
  const text = describeDivergence({
    place: { node: 'plan', task: '' },
    ...{ request, after: 0, repeated: false, differences: [] },
    nearest: { ordinal: 0, place: { node, task: '' }, request },
  });
  return text.split('\n')[1];
}

describe('a request that was not recorded', () => {
  it('is shown beside the most similar one, whose node is named if it is known and differs', () => {
    assert.deepEqual(['plan', 'other', ''].map(nearestLine), [
      'The most similar recorded request is number 1. It differs in:',
      "The most similar recorded request is number 1, of node 'other'. It differs in:",
      // Cassettes have no nodes.
      'The most similar recorded request is number 1. It differs in:',
    ]);
    assert.equal(
      nearestLine('team|writer'),
      "The most similar recorded request is number 1, of node 'team › writer'. It differs in:",
    );
  });

  it('is described by a whole sentence, whatever code sent it', () => {
    const firstLine = (node: string, after: number) =>
      describeDivergence({
        place: { node, task: '' },
        ...{ request, after, repeated: true, differences: [], nearest: null },
      }).split('\n')[0];
    const what = 'sent a request that was not recorded: POST https://example.com/v1';
    assert.equal(firstLine('team|writer', 0), `Node 'team › writer' ${what} (the first of the run).`);
    assert.equal(firstLine('', 2), `Code outside any node ${what} (after 2 answered from the recording).`);
  });
});
