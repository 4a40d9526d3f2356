import assert from 'node:assert/strict';
import { createDataset } from '../../../../src/server/tracing/datasets/datasets-store.ts';
import { createExamples } from '../../../../src/server/tracing/datasets/write-examples.ts';
import { openTracesWriter } from '../../../support/traces-writer.ts';
import { WorkCounter } from '../../../support/work-counts.ts';

const workspaceId = 'workspace';

describe('examples that one request creates', () => {
  it('are numbered without a count of the dataset for each', async () => {
    await using writer = await openTracesWriter();
    const { context } = writer;
    const dataset = { name: 'large' };
    const { id: dataset_id } = context.db.transaction(() => createDataset(context, { workspaceId, dataset }));
    const counter = new WorkCounter();
    /** @returns the names of new examples, and how often all examples were counted. */
    const create = (count: number) => {
      counter.start();
      const examples = Array.from({ length: count }, (_, q) => ({ dataset_id, inputs: { q } }));
      const created = context.db.transaction(() => createExamples(context, { workspaceId, examples }));
      const { statements } = counter.stop();
      const counts = Object.entries(statements).filter(([sql]) => /count\(.*example_versions/s.test(sql));
      return {
        names: created.examples.map(({ name }) => name),
        counted: counts.reduce((sum, [, { times }]) => sum + times, 0),
      };
    };
    assert.deepEqual(create(3), { names: ['#1', '#2', '#3'], counted: 1 });
    const { names, counted } = create(200);
    assert.deepEqual([names[0], names[199], counted], ['#4', '#203', 1]);
  });
});
