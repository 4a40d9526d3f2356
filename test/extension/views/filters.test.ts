import assert from 'node:assert/strict';
import { isEmpty, queryOf } from '../../../src/extension/views/trace-filter.ts';
import { formatPairs, parsePairs } from '../../../src/extension/wording/metadata-pairs.ts';

describe('pairs of metadata', () => {
  it('are parsed as people type them', () => {
    assert.deepEqual(parsePairs('user=u1 tier=2, beta=true name="Ada L." '), {
      user: 'u1',
      tier: 2,
      beta: true,
      name: 'Ada L.',
    });
    assert.deepEqual(parsePairs(''), {});
    assert.deepEqual(parsePairs('n="2" zip=007 empty=""'), { n: '2', zip: '007', empty: '' });
  });

  it('are refused with the invalid part quoted', () => {
    assert.throws(() => parsePairs('user=u1 what'), /“what” is not a pair/);
    assert.throws(() => parsePairs('user=u1 user=u2'), /“user” is there twice/);
    assert.deepEqual(Object.keys(parsePairs('__proto__=x')), ['__proto__']);
    assert.throws(() => parsePairs('user='), /“user=” is not a pair/);
    assert.throws(() => parsePairs('name="Ada'), /is not a pair/);
  });

  it('are the same after formatting and parsing', () => {
    for (const pairs of [{ user: 'u1', tier: 2 }, { n: '2', yes: 'true', text: 'a "b" \\ c' }, { empty: '' }])
      assert.deepEqual(parsePairs(formatPairs(pairs)), pairs);
  });
});

describe('a filter of traces', () => {
  it('sends no conditions when it is empty', () => {
    assert.deepEqual(queryOf({}), {});
    assert.ok(isEmpty({ text: undefined, status: undefined }));
  });

  it('is translated completely into the filter language', () => {
    assert.deepEqual(
      queryOf({
        text: 'say "hi"',
        status: 'error',
        metadata: { user: 'u1' },
        slowerThanSeconds: 2.5,
        feedback: { key: 'helpful', score: 'bad' },
      }),
      {
        filter:
          'and(eq(status, "error"), gt(latency, "2.5s"), and(eq(metadata_key, "user"), eq(metadata_value, "u1")), and(eq(feedback_key, "helpful"), lte(feedback_score, 0.5)))',
        tree_filter: 'search("say \\"hi\\"")',
      },
    );
    assert.deepEqual(queryOf({ name: 'agent' }), { filter: 'eq(name, "agent")' });
  });
});
