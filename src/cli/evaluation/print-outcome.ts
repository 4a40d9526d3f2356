import type { ExampleResult } from '../../evaluation/evaluate-dataset.ts';
import type { Outcome } from '../../evaluation/outcome.ts';
import { formatScore, type ScoredRun, statisticsOf, type Verdict } from '../../evaluation/verdict.ts';
import { money } from '../../terms/money.ts';
import { durationText } from '../render/time.ts';
import type { Colors } from '../terminal/colors.ts';
import type { Terminal } from '../terminal/terminal.ts';

const MARKS: Readonly<Record<Verdict, string>> = { passed: '✓', failed: '✗', flaky: '~', skipped: '-' };

/** Prints an example when its runs have ended: whether it passed, its scores, and the reasons for failures. */
export function printExample(terminal: Terminal, { example, runs, verdict }: ExampleResult): void {
  const { colors } = terminal;
  const paint = painterOf(verdict, colors);
  const scores = [...statisticsOf(runs)].map(
    ([key, { mean, deviation = 0 }]) =>
      `${key} ${formatScore(mean)}${deviation > 0 ? ` ±${formatScore(deviation)}` : ''}`,
  );
  const passed = runs.filter(({ failures }) => failures.length === 0).length;
  const often = verdict === 'flaky' ? ` (passed ${passed} of ${runs.length} times)` : '';
  terminal.line(
    `  ${paint(MARKS[verdict])} ${example.label}${often}${scores.length > 0 ? colors.dim(`  ${scores.join(', ')}`) : ''}`,
  );
  const reasons = new Set(runs.flatMap(({ failures }) => failures));
  for (const reason of reasons) for (const line of reason.split('\n')) terminal.line(`      ${paint(line)}`);
}

/** Prints the result of an evaluation. */
export function printOutcome(terminal: Terminal, { result, baseline, problems }: Outcome): void {
  const { colors } = terminal;
  const { results, experiment, durationMs } = result;
  const runs = results.flatMap((example) => example.runs);
  const passed = results.filter(({ verdict }) => verdict === 'passed').length;
  const tokens = runs.reduce((sum, run) => sum + (run.tokens ?? 0), 0);
  const facts = [
    `${passed} of ${results.length} passed`,
    ...(runs.length > results.length ? [`${runs.length} runs`] : []),
    ...[...statisticsOf(runs)].map(([key, { mean }]) => `${key} ${formatScore(mean)}`),
    durationText(durationMs),
    ...(tokens > 0 ? [`${tokens} tokens`] : []),
    ...costFacts(runs),
  ];
  terminal.line(`  ${facts.join(', ')}`);
  const { file, datasetName, overwritten } = result;
  // The name in the file may already belong to a dataset of another project.
  const on = datasetName === file.name ? '' : ` on the dataset ${datasetName}`;
  terminal.line(colors.dim(`  experiment ${experiment.name}${on}`));
  if (overwritten > 0) terminal.line(`  ${colors.yellow(overwrittenSentence(overwritten))}`);
  if (baseline !== undefined) {
    terminal.line(
      `  against ${baseline.name}: ${baseline.regressions.length} regressed, ${baseline.improvements.length} improved`,
    );
    for (const { label } of baseline.regressions) terminal.line(`      ${colors.red(`regressed: ${label}`)}`);
  }
  for (const problem of problems) terminal.line(`  ${colors.red(problem)}`);
}

function overwrittenSentence(count: number): string {
  const what = count === 1 ? '1 example was' : `${count} examples were`;
  return `${what} changed or added on the platform since the last upload. The file takes precedence.`;
}

/** The total cost of runs, and the number of runs that used a model without a known price. */
function costFacts(runs: readonly Pick<ScoredRun, 'tokens' | 'cost'>[]): string[] {
  const costs = runs.flatMap(({ cost }) => cost ?? []);
  const unpriced = runs.filter(({ tokens = 0, cost }) => tokens > 0 && cost === undefined).length;
  return [
    ...(costs.length > 0 ? [money(costs.reduce((sum, cost) => sum + cost, 0))] : []),
    ...(unpriced > 0 ? [unpriced === 1 ? '1 run without a price' : `${unpriced} runs without a price`] : []),
  ];
}

function painterOf(verdict: Verdict, colors: Colors): (text: string) => string {
  if (verdict === 'passed') return colors.green;
  return verdict === 'failed' ? colors.red : colors.yellow;
}
