import assert from 'node:assert/strict';
import { RunProjection } from '../../../../../src/server/agent-server/api/protocol/run-projection.ts';

describe('the projection of a run onto the v2 protocol', () => {
  const project = (event: string, data: unknown) =>
    new RunProjection('agent').event({ seq: 1, event, data: JSON.stringify(data), at: 0 });

  it('gives the end of a tool in LangGraph.js the protocol’s name', () => {
    assert.deepEqual(project('tools', { event: 'on_tool_end', toolCallId: 'call_1', output: 'rain' }), [
      {
        method: 'tools',
        namespace: [],
        data: { event: 'tool-finished', tool_call_id: 'call_1', output: 'rain' },
      },
    ]);
  });

  it('passes on an unknown tool event unchanged, and does not report the end of its call', () => {
    const event = { event: 'on_tool_progress', toolCallId: 'call_1', percent: 50 };
    assert.deepEqual(project('tools', event), [{ method: 'tools', namespace: [], data: event }]);
  });

  it('reports an interrupt once, and each of those without an ID', () => {
    const interrupts = [
      { value: 'first' },
      { value: 'second' },
      { id: 'a', value: 'x' },
      { id: 'a', value: 'x' },
    ];
    const asked = project('updates', { __interrupt__: interrupts });
    assert.deepEqual(
      asked.map(({ data }) => data),
      [
        { interrupt_id: '', payload: 'first' },
        { interrupt_id: '', payload: 'second' },
        { interrupt_id: 'a', payload: 'x' },
      ],
    );
  });
});
