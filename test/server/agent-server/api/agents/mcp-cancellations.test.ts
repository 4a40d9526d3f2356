import assert from 'node:assert/strict';
import { McpCancellations } from '../../../../../src/server/agent-server/api/agents/mcp-cancellations.ts';

describe('a cancellation of an MCP call', () => {
  it('cancels the call that is being answered, or is yet to arrive', () => {
    const calls = new McpCancellations();
    const call = calls.follow('session 1');
    calls.cancel('session 1');
    assert.equal(call.signal.aborted, true);
    calls.cancel('session 2');
    assert.equal(calls.follow('session 2').signal.aborted, true);
  });

  it('that comes after the answer cancels no later call with the same ID', () => {
    const calls = new McpCancellations();
    calls.follow('session 1').end();
    for (let time = 0; time < 2; time++) calls.cancel('session 1');
    const again = calls.follow('session 1');
    assert.equal(again.signal.aborted, false);
    calls.cancel('session 1');
    assert.equal(again.signal.aborted, true);
    again.end();
    calls.cancel('session 1');
    assert.equal(calls.follow('session 1').signal.aborted, false);
  });
});
