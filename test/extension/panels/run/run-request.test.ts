import assert from 'node:assert/strict';
import { RunCreate } from '../../../../src/contract/agent-server/runs.ts';
import { RunOptions, usualOptions } from '../../../../src/extension/panels/run/messages.ts';
import { settingsOf } from '../../../../src/extension/panels/run/run-request.ts';
import { readCount, readList, readMetadata } from '../../../../src/webviews/run/read-settings.ts';

describe('the settings of a run', () => {
  it('are sent in the fields that the interface has for them', () => {
    const options = RunOptions.parse({
      ...usualOptions,
      recursion_limit: 7,
      tags: ['a'],
      metadata: { user: 'ada' },
      durability: 'exit',
      multitask_strategy: 'enqueue',
      record: true,
    });
    const sent = RunCreate.parse({ assistant_id: 'agent', ...settingsOf(options) });
    assert.deepEqual(sent.config, { recursion_limit: 7, tags: ['a'] });
    assert.deepEqual(sent.metadata, { user: 'ada' });
    assert.equal(sent.durability, 'exit');
    assert.equal(sent.multitask_strategy, 'enqueue');
    assert.equal(sent.record, true);
  });

  it('are left out when they were not given', () => {
    assert.deepEqual(settingsOf(usualOptions), {});
  });

  it('are read as they were typed, and only when they are valid', () => {
    const problem = 'Enter a whole number of at least 1.';
    assert.deepEqual(['25', '', '0', '1.5', 'x'].map(readCount), [
      { count: 25 },
      {},
      ...Array(3).fill({ problem }),
    ]);
    assert.deepEqual(readList(' a, b,, a'), ['a', 'b']);
    assert.deepEqual(['{"a": 1}', ' ', '[1]', '{'].map(readMetadata), [{ a: 1 }, {}, undefined, undefined]);
  });
});
