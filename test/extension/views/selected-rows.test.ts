import assert from 'node:assert/strict';
import { rowsOfKind } from '../../../src/extension/views/selected-rows.ts';

class Thread {}
class Checkpoint {}
class Trace {}

describe('the rows that a command is about', () => {
  const thread = new Thread();
  const other = new Thread();
  const checkpoint = new Checkpoint();

  it('are the one it was called on, without a selection', () => {
    assert.deepEqual(rowsOfKind([Thread], thread, undefined), [thread]);
  });

  it('are all that are selected, the one it was called on first', () => {
    const rows = rowsOfKind([Thread, Checkpoint], thread, [other, checkpoint, thread]);
    assert.ok(rows !== 'lost');
    assert.deepEqual(rows.map(nameOf), ['thread', 'other', 'checkpoint']);
  });

  it('are only those of the kinds that it takes', () => {
    const rows = rowsOfKind([Thread], checkpoint, [checkpoint, other]);
    assert.ok(rows !== 'lost');
    assert.deepEqual(rows.map(nameOf), ['other']);
    assert.deepEqual(rowsOfKind([Trace], thread, undefined), []);
  });

  it('are reported as lost when VS Code passes no element for one of them', () => {
    assert.equal(rowsOfKind([Thread], undefined, undefined), 'lost');
    assert.equal(rowsOfKind([Thread], thread, [thread, undefined]), 'lost');
  });

  it('are none when a key is pressed with nothing selected', () => {
    assert.deepEqual(rowsOfKind([Thread], undefined, []), []);
  });

  function nameOf(row: unknown): string {
    return row === thread ? 'thread' : row === other ? 'other' : 'checkpoint';
  }
});
