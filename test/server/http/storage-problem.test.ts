import assert from 'node:assert/strict';
import pg from 'pg';
import { storageProblem } from '../../../src/server/http/storage-problem.ts';
import { StatementError } from '../../../src/server/team/postgres/link/database-link.ts';

describe('problems of the storage', () => {
  const ofDatabase = (code: string) =>
    Object.assign(new pg.DatabaseError('no', 2, 'error'), { code, severity: 'ERROR' });

  it('include temporary ones of PostgreSQL, over either kind of connection', () => {
    const statuses = ['53100', '53200', '55P03', '57014', '40001', '40P01'].map((code) => [
      storageProblem(ofDatabase(code))?.status,
      storageProblem(new StatementError('no', code))?.status,
    ]);
    assert.deepEqual(statuses, [[507, 507], ...Array.from({ length: 5 }, () => [503, 503])]);
  });

  it('do not include permanent ones', () => {
    // A value that is too long, a constraint, an unknown column.
    for (const code of ['22001', '23505', '42703']) assert.equal(storageProblem(ofDatabase(code)), undefined);
    assert.equal(storageProblem(new TypeError('no')), undefined);
  });
});
