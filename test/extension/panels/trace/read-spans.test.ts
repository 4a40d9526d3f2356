import assert from 'node:assert/strict';
import { toExampleRow } from '../../../../src/extension/panels/experiments/example-row.ts';
import { toSpan } from '../../../../src/extension/panels/trace/read-spans.ts';
import { errorHead } from '../../../../src/terms/error-text.ts';
import { recordedErrors } from '../../../support/recorded-errors.ts';

describe('a row with an error', () => {
  it('of a trace or of an experiment shows the type and the first line of each recorded error', () => {
    for (const { error, way } of recordedErrors()) {
      const span = toSpan({ id: 'a', start_time: '2026-11-29T08:00:00Z', status: 'error', error });
      assert.equal(span?.error, errorHead(error).slice(0, 200), way);
      const result = { runIds: ['a'], runs: 1, failed: 1, scores: {}, values: {}, outputs: null, error };
      const example = { id: 'e', inputs: {}, metadata: {}, outputs: {}, results: new Map([['x', result]]) };
      const row = toExampleRow(example, { experiment_id: 'x' }, new Set());
      assert.equal(row.result?.error, errorHead(error), way);
    }
  });
});
