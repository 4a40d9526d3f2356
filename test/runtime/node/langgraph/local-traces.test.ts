import assert from 'node:assert/strict';
import { isTracedLocally } from '../../../../src/runtime/node/langgraph/local-traces.ts';

describe('spans', () => {
  const { LANGSMITH_ENDPOINT: before } = process.env;
  afterEach(() => {
    if (before === undefined) delete process.env.LANGSMITH_ENDPOINT;
    else process.env.LANGSMITH_ENDPOINT = before;
  });

  it('are sent to this machine at each of its names', () => {
    for (const [endpoint, isLocal] of [
      ['http://127.0.0.1:2024', true],
      ['http://localhost:2024/api/v1', true],
      ['http://[::1]:2024', true],
      ['https://api.smith.langchain.com', false],
      ['127.0.0.1', false],
      ['', false],
    ] as const) {
      process.env.LANGSMITH_ENDPOINT = endpoint;
      assert.equal(isTracedLocally(), isLocal, endpoint);
    }
  });
});
