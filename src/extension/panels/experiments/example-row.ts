import { compareOutcomes } from '../../../experiments/compare-scores.ts';
import type { JudgedExample } from '../../../experiments/read-preferences.ts';
import type { Result } from '../../../experiments/read-results.ts';
import { errorHead } from '../../../terms/error-text.ts';
import { outputTitle } from '../../wording/output-title.ts';
import { exampleTitle } from '../../wording/titles.ts';
import type { Compared, ExampleRow, ResultCell } from './messages.ts';

/** An example as a row of the comparison. */
export function toExampleRow(
  example: JudgedExample,
  { experiment_id, baseline_id }: Compared,
  lowerIsBetter: ReadonlySet<string>,
): ExampleRow {
  const { id, inputs, results, preferences = {} } = example;
  const asked = { inputs, reference: example.outputs };
  const result = results.get(experiment_id);
  const baseline = baseline_id === undefined ? undefined : results.get(baseline_id);
  return {
    id,
    title: exampleTitle({ inputs, metadata: example.metadata }) ?? id,
    preferences,
    changes: compareOutcomes(baseline, result, lowerIsBetter),
    ...(baseline && { baseline: toCell(baseline, asked) }),
    ...(result && { result: toCell(result, asked) }),
  };
}

function toCell(
  { runIds, failed, scores, values, outputs, error, latency, cost }: Result,
  asked: Parameters<typeof outputTitle>[1],
): ResultCell {
  return {
    run_ids: runIds,
    failed,
    scores,
    values,
    output: outputTitle(outputs, asked) ?? '',
    ...(error && { error: errorHead(error) }),
    ...(latency && { latency }),
    ...(cost && { cost }),
  };
}
