import assert from 'node:assert/strict';
import { DatabaseUnreachable } from '../../../src/process/database-unreachable.ts';
import { ifReachable } from '../../../src/server/storage/if-reachable.ts';

describe('monitoring that asks a database', () => {
  const db = { checkReachable: () => {} };

  it('gets its values, and errors that do not concern the connection', async () => {
    assert.equal(await ifReachable(db, () => Promise.resolve(1)), 1);
    await assert.rejects(
      ifReachable(db, () => Promise.reject(new TypeError('wrong'))),
      /wrong/,
    );
  });

  it('omits them while the database cannot be reached, or does not answer', async () => {
    const away = () => {
      throw new DatabaseUnreachable();
    };
    const asked = () => assert.fail('it was asked');
    assert.equal(await ifReachable({ checkReachable: away }, asked), undefined);
    assert.equal(await ifReachable(db, () => Promise.reject(new DatabaseUnreachable())), undefined);
    assert.equal(await ifReachable(db, () => new Promise(() => {}), 1), undefined);
  });
});
