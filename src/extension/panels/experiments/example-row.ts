import { compareOutcomes } from '../../../experiments/compare-scores.ts';
import type { ExampleResults, Result } from '../../../experiments/read-results.ts';
import { inputTitle } from '../../views/input-title.ts';
import { outputTitle } from '../../views/output-title.ts';
import type { Compared, ExampleRow, ResultCell } from './messages.ts';

/** An example as a row of the comparison. */
export function toExampleRow(
  { id, inputs, results }: ExampleResults,
  { experiment_id, baseline_id }: Compared,
  lowerIsBetter: ReadonlySet<string>,
): ExampleRow {
  const result = results.get(experiment_id);
  const baseline = baseline_id === undefined ? undefined : results.get(baseline_id);
  return {
    id,
    title: inputTitle(inputs) ?? id,
    changes: compareOutcomes(baseline, result, lowerIsBetter),
    ...(baseline && { baseline: toCell(baseline) }),
    ...(result && { result: toCell(result) }),
  };
}

function toCell({ runIds, failed, scores, values, outputs, error, latency, cost }: Result): ResultCell {
  return {
    run_ids: runIds,
    failed,
    scores,
    values,
    output: outputTitle(outputs) ?? '',
    ...(error && { error: error.trimStart().split('\n', 1)[0] ?? '' }),
    ...(latency && { latency }),
    ...(cost && { cost }),
  };
}
