import assert from 'node:assert/strict';
import { readChanges } from '../../src/client/changes.ts';

describe('changes that a server announces', () => {
  it('are read without those that a newer server may announce', async () => {
    const run = { resource: 'run', action: 'updated', id: 'r' };
    const planet = { resource: 'planet', action: 'created', id: 'p' };
    async function* stream() {
      for (const data of [[planet, run], [planet], 'text', [run]])
        yield { id: undefined, event: 'changes', data };
      yield { id: undefined, event: 'weather', data: [run] };
    }
    const read: unknown[] = [];
    for await (const changes of readChanges(stream())) read.push(changes);
    assert.deepEqual(read, [[run], [run]]);
  });
});
