import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { StatementCache } from '../../../src/server/storage/statement-cache.ts';

describe('the cache of prepared statements', () => {
  it('prepares a statement once, and drops the oldest when there are too many', () => {
    const database = new DatabaseSync(':memory:');
    let prepared = 0;
    const statements = new StatementCache((sql) => {
      prepared++;
      return database.prepare(sql);
    });
    const first = statements.get('SELECT 0');
    assert.equal(statements.get('SELECT 0'), first);
    assert.equal(prepared, 1);
    for (let number = 1; number <= 300; number++) statements.get(`SELECT ${number}`);
    statements.get('SELECT 300');
    assert.equal(prepared, 301);
    assert.notEqual(statements.get('SELECT 0'), first);
    database.close();
  });
});
