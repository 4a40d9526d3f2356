import assert from 'node:assert/strict';
import type { Turn } from '../../../src/extension/panels/run/messages.ts';
import { inReadingOrder } from '../../../src/webviews/run/side/turn-order.ts';

function turn(checkpoint_id: string, parent_id: string | undefined, source: Turn['source'] = 'loop'): Turn {
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

function order(...turns: readonly Turn[]): string[] {
  return inReadingOrder(turns).map(({ checkpoint_id }) => checkpoint_id);
}

describe('the history of a thread', () => {
  it('has each input above its own steps, and the newest input first', () => {
    const newestFirst = [
      turn('answer 2', 'start 2'),
      turn('start 2', 'second'),
      turn('second', 'answer 1', 'input'),
      turn('answer 1', 'start 1'),
      turn('start 1', 'first'),
      turn('first', undefined, 'input'),
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

  it('has what was continued from an earlier step with the input that the step belongs to', () => {
    const newestFirst = [
      turn('again', 'start 1'),
      turn('answer 2', 'second'),
      turn('second', 'answer 1', 'input'),
      turn('answer 1', 'start 1'),
      turn('start 1', 'first'),
      turn('first', undefined, 'input'),
    ];
    assert.deepEqual(order(...newestFirst), ['first', 'start 1', 'answer 1', 'again', 'second', 'answer 2']);
  });

  it('keeps the steps whose input is older than the states that were read', () => {
    assert.deepEqual(order(turn('c', 'b'), turn('b', 'a')), ['b', 'c']);
    assert.deepEqual(order(), []);
  });
});
