import assert from 'node:assert/strict';
import { flushTraces } from '../../../../src/runtime/node/tracing/flush-traces.ts';

describe('pending spans', () => {
  it('are sent at the end, even if another copy of LangGraph did not load', async () => {
    let isSent = false;
    const awaitAllCallbacks = async () => {
      isSent = true;
    };
    const failed = Promise.reject(new Error('not supported'));
    const loaded = Promise.resolve({ importModule: async () => ({ awaitAllCallbacks }) });
    await flushTraces({ listCopies: () => [failed, loaded] });
    assert.ok(isSent);
  });
});
