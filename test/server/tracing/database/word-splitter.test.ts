import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { WordSplitter } from '../../../../src/server/tracing/database/word-splitter.ts';

describe('the splitter of words', () => {
  it('still works after the transaction in which it was first used was rolled back', () => {
    using sqlite = new DatabaseSync(':memory:');
    const splitter = new WordSplitter(sqlite);
    sqlite.exec('BEGIN');
    assert.deepEqual(splitter.split('Déjà vu'), ['deja', 'vu']);
    sqlite.exec('ROLLBACK');
    assert.deepEqual(splitter.split('Déjà vu, twice'), ['deja', 'vu', 'twice']);
  });
});
