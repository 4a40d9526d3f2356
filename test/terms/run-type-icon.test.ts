import assert from 'node:assert/strict';
import { runTypeIcon } from '../../src/terms/run-type-icon.ts';

describe('the icon of a span', () => {
  it('tells each of the tracers’ types apart, and shows one that it does not know as a chain', () => {
    const types = ['chain', 'llm', 'tool', 'retriever', 'embedding', 'prompt', 'parser'];
    assert.equal(new Set(types.map(runTypeIcon)).size, types.length);
    assert.equal(runTypeIcon('of-another-tracer'), runTypeIcon('chain'));
  });
});
