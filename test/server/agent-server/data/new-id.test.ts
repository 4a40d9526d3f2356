import assert from 'node:assert/strict';
import { validate, version } from 'uuid';
import { newId } from '../../../../src/server/agent-server/data/new-id.ts';

describe('a new id', () => {
  it('is a UUID of version 7 that sorts after all earlier ones', () => {
    const ids = Array.from({ length: 2_000 }, newId);
    assert.ok(ids.every((id) => validate(id) && version(id) === 7));
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(ids.toSorted(), ids);
    const made = Number.parseInt(ids.at(-1)?.replaceAll('-', '').slice(0, 12) ?? '', 16);
    assert.ok(Math.abs(Date.now() - made) < 60_000);
  });
});
