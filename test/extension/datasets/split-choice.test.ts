import assert from 'node:assert/strict';
import { splitChanges, splitChoices } from '../../../src/extension/datasets/split-choice.ts';

describe('the choice of splits for several examples', () => {
  const examples = [['train', 'short'], ['train'], ['train', 'hard']];

  it('has those picked that all of them are in, and counts the examples of the others', () => {
    assert.deepEqual(splitChoices(['hard', 'short', 'test', 'train'], examples), [
      { split: 'hard', isShared: false, count: 1 },
      { split: 'short', isShared: false, count: 1 },
      { split: 'test', isShared: false, count: 0 },
      { split: 'train', isShared: true, count: 3 },
    ]);
  });

  it('changes nothing when it is confirmed as it was shown', () => {
    assert.deepEqual(splitChanges(new Set(['train']), examples), { added: [], removed: [] });
  });

  it('removes only those that were picked, and adds only those that an example lacks', () => {
    assert.deepEqual(splitChanges(new Set(['hard', 'test']), examples), {
      added: ['hard', 'test'],
      removed: ['train'],
    });
  });
});
