import assert from 'node:assert/strict';
import type { HistoryEntry } from '../../../src/extension/panels/run/messages.ts';
import { inReadingOrder } from '../../../src/webviews/run/side/history-order.ts';

function entry(
  checkpoint_id: string,
  parent_id: string | undefined,
  source: HistoryEntry['source'] = 'loop',
): HistoryEntry {
  return {
    checkpoint_id,
    parent_id,
    source,
    step: 0,
    nodes: [],
    next: [],
    waits: false,
    created_at: undefined,
  };
}

function order(...entries: readonly HistoryEntry[]): string[] {
  return inReadingOrder(entries).map(({ checkpoint_id }) => checkpoint_id);
}

describe('the history of a thread', () => {
  it('has each input above its own steps, and the newest input first', () => {
    const newestFirst = [
      entry('answer 2', 'start 2'),
      entry('start 2', 'second'),
      entry('second', 'answer 1', 'input'),
      entry('answer 1', 'start 1'),
      entry('start 1', 'first'),
      entry('first', undefined, 'input'),
    ];
    assert.deepEqual(order(...newestFirst), [
      'second',
      'start 2',
      'answer 2',
      'first',
      'start 1',
      'answer 1',
    ]);
  });

  it('shows what continued from an earlier step with the input that the step belongs to', () => {
    const newestFirst = [
      entry('again', 'start 1'),
      entry('answer 2', 'second'),
      entry('second', 'answer 1', 'input'),
      entry('answer 1', 'start 1'),
      entry('start 1', 'first'),
      entry('first', undefined, 'input'),
    ];
    assert.deepEqual(order(...newestFirst), ['first', 'start 1', 'answer 1', 'again', 'second', 'answer 2']);
  });

  it('keeps steps whose input is older than the states that were read', () => {
    assert.deepEqual(order(entry('c', 'b'), entry('b', 'a')), ['b', 'c']);
    assert.deepEqual(order(), []);
  });
});
