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
  it('is shown beside the nearest one, with its node if that is known and differs', () => {
    assert.deepEqual(['plan', 'other', ''].map(nearestLine), [
      'The nearest recording is request 1. It differs in:',
      "The nearest recording is request 1 of node 'other'. It differs in:",
      // Cassettes have no nodes.
      'The nearest recording is request 1. It differs in:',
    ]);
  });
});
