import assert from 'node:assert/strict';
import { RunEvent } from '../../src/contract/agent-server/run-events.ts';
import { StreamMode } from '../../src/contract/agent-server/runs.ts';

describe('a stream mode of the contract', () => {
  it('has an event that clients can read', () => {
    const kinds = new Set<string>(RunEvent.options.map(({ shape }) => shape.kind.value));
    const eventOf = (mode: string) => (mode === 'messages-tuple' ? 'messages' : mode);
    assert.deepEqual(
      StreamMode.options.filter((mode) => mode !== 'messages' && !kinds.has(eventOf(mode))),
      [],
    );
    for (const part of ['metadata', 'partial', 'complete']) assert.ok(kinds.has(`messages/${part}`), part);
  });
});
