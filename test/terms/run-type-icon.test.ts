import assert from 'node:assert/strict';
import { runTypeIcon } from '../../src/terms/run-type-icon.ts';

describe('the icon of a span', () => {
  it('distinguishes all types of the tracers, and shows an unknown one as a chain', () => {
    const types = ['chain', 'llm', 'tool', 'retriever', 'embedding', 'prompt', 'parser'];
    assert.equal(new Set(types.map(runTypeIcon)).size, types.length);
    assert.equal(runTypeIcon('of-another-tracer'), runTypeIcon('chain'));
  });
});
