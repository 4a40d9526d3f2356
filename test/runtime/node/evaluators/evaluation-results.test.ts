import assert from 'node:assert/strict';
import { readResults } from '../../../../src/runtime/node/evaluators/evaluation-results.ts';

describe('results of evaluators', () => {
  it('are a plain score, a text, an object, a list of them, or the list in `results`', () => {
    assert.deepEqual(readResults(0.5, 'near'), [{ key: 'near', score: 0.5 }]);
    assert.deepEqual(readResults(false, 'near'), [{ key: 'near', score: false }]);
    assert.deepEqual(readResults('close', 'near'), [{ key: 'near', value: 'close' }]);
    const given = { key: 'far', score: null, value: { of: 1 }, comment: 'why', sourceRunId: 'a trace' };
    const { sourceRunId: source_run_id, ...rest } = given;
    const stored = { ...rest, source_run_id };
    assert.deepEqual(readResults(given, 'near'), [stored]);
    assert.deepEqual(readResults([given, 1], 'near'), [stored, { key: 'near', score: 1 }]);
    assert.deepEqual(readResults({ results: [given] }, 'near'), [stored]);
    assert.deepEqual(readResults({ comment: 'why' }, 'near'), [{ key: 'near', comment: 'why' }]);
  });

  it('are refused without a score, a value or a comment, in a sentence that says what to return', () => {
    for (const empty of [{}, { key: 'far' }, { comment: null }, { comment: undefined }]) {
      assert.throws(() => readResults(empty, 'near'), /'near'.*without score, value or comment.*score: 1/);
    }
    for (const nothing of [undefined, null, () => 1]) {
      assert.throws(
        () => readResults(nothing, 'near'),
        /'near' returned (?:undefined|null|function)\. It must/,
      );
    }
  });

  it('are refused when a field has a wrong type, so that nothing is silently left out', () => {
    const wrong = { key: 5, score: '1', comment: 5, sourceRunId: {} };
    for (const [field, value] of Object.entries(wrong)) {
      assert.throws(() => readResults({ score: 1, [field]: value }, 'near'), {
        name: 'ReturnValueError',
        message: new RegExp(`'near' returned a ${field} that is`),
      });
    }
  });
});
