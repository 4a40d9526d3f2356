import assert from 'node:assert/strict';
import { sendsSpans } from '../../../../src/runtime/node/exchanges/fetch-interceptor.ts';

describe('a request of a run', () => {
  const { LANGSMITH_ENDPOINT: before } = process.env;
  afterEach(() => {
    if (before === undefined) delete process.env.LANGSMITH_ENDPOINT;
    else process.env.LANGSMITH_ENDPOINT = before;
  });

  it('sends spans only if it is for the tracing endpoint, and not for another port', () => {
    for (const endpoint of ['http://127.0.0.1:2024', 'http://127.0.0.1:2024/']) {
      process.env.LANGSMITH_ENDPOINT = endpoint;
      assert.equal(sendsSpans('http://127.0.0.1:2024/runs/multipart'), true);
      assert.equal(sendsSpans('http://127.0.0.1:20240/runs/multipart'), false);
    }
    process.env.LANGSMITH_ENDPOINT = '';
    assert.equal(sendsSpans('http://127.0.0.1:2024/runs/multipart'), false);
  });
});
