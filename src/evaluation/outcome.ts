import type { Comparison } from './baseline.ts';
import type { DatasetResult } from './evaluate-dataset.ts';
import { formatScore, statisticsOf } from './verdict.ts';

/** The result of an evaluation, and whether it passes as a whole. */
export interface Outcome {
  readonly result: DatasetResult;
  readonly baseline: Comparison | undefined;
  /** Why the evaluation fails, in sentences; empty if it passes. */
  readonly problems: readonly string[];
}

/**
 * Judges an evaluation by the pass rate and the thresholds of its settings, by whether it was stopped early,
 * and by its regressions.
 * @param options.failOnRegression whether the evaluation fails if an example passed more often in the baseline
 */
export function judge(
  result: DatasetResult,
  baseline: Comparison | undefined,
  options: { readonly failOnRegression: boolean },
): Outcome {
  const { settings, results, stopped } = result;
  const runs = results.flatMap(({ runs: all }) => all);
  const passed = runs.filter(({ failures }) => failures.length === 0).length;
  const problems: string[] = stopped === undefined ? [] : [stopped];
  if (runs.length > 0 && passed / runs.length < settings.pass_rate) {
    problems.push(
      `${passed} of ${runs.length} runs passed (${percent(passed / runs.length)}); pass_rate is ${percent(settings.pass_rate)}.`,
    );
  }
  const statistics = statisticsOf(runs);
  for (const [key, least] of Object.entries(settings.thresholds)) {
    const found = statistics.get(key);
    if (found === undefined) problems.push(`No run has the score '${key}', which thresholds names.`);
    else if (found.mean < least) {
      problems.push(
        `The mean of ${key} is ${formatScore(found.mean)}; its threshold is ${formatScore(least)}.`,
      );
    }
  }
  if (options.failOnRegression && baseline !== undefined && baseline.regressions.length > 0) {
    const { length } = baseline.regressions;
    problems.push(`${length} ${length === 1 ? 'example' : 'examples'} regressed against ${baseline.name}.`);
  }
  return { result, baseline, problems };
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
