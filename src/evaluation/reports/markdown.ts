import { markdownTable } from 'markdown-table';
import type { Spread } from '../../experiments/spread.ts';
import type { ExampleResult } from '../evaluate-dataset.ts';
import type { Outcome } from '../outcome.ts';
import { formatScore, statisticsOf } from '../verdict.ts';

const MARKS = { passed: '✅', failed: '❌', flaky: '⚠️', skipped: '⏭️' } as const;
const MAX_CELL_CHARS = 120;

/** Evaluations as Markdown for a pull request: a table of scores, then the examples that do not pass. */
export function markdownOf(outcomes: readonly Outcome[]): string {
  return outcomes.map(section).join('\n');
}

function section(outcome: Outcome): string {
  const { result, problems, baseline } = outcome;
  const { results, file, experiment } = result;
  const passed = results.filter(({ verdict }) => verdict === 'passed').length;
  const lines = [
    `### ${problems.length === 0 ? MARKS.passed : MARKS.failed} ${cell(file.name)}: ${passed} of ${results.length} examples passed`,
    '',
    ...scores(outcome),
  ];
  const others = results.filter(({ verdict }) => verdict !== 'passed');
  if (others.length > 0) {
    const rows = others.map((example) => [
      MARKS[example.verdict],
      cell(example.example.label),
      cell(why(example)),
    ]);
    lines.push(markdownTable([['', 'Example', 'Why'], ...rows]), '');
  }
  if (baseline !== undefined) {
    const { regressions, improvements, name } = baseline;
    lines.push(
      `Compared with ${code(name)}: ${count(regressions.length, 'regression')}, ${count(improvements.length, 'improvement')}.`,
      '',
      ...regressions.map(({ label }) => `- regressed: ${cell(label)}`),
      ...(regressions.length > 0 ? [''] : []),
    );
  }
  lines.push(...problems.map((problem) => `- ${cell(problem)}`), ...(problems.length > 0 ? [''] : []));
  lines.push(`Experiment ${code(experiment.name)}`, '');
  return lines.join('\n');
}

function scores({ result, baseline }: Outcome): string[] {
  const statistics = statisticsOf(result.results.flatMap(({ runs }) => runs));
  if (statistics.size === 0) return [];
  const head = ['Score', 'Mean', 'Spread', ...(baseline === undefined ? [] : ['Baseline'])];
  const rows = [...statistics].map(([key, found]) => [
    cell(key),
    formatScore(found.mean),
    spread(found),
    ...(baseline === undefined ? [] : [change(found.mean, baseline.means.get(key))]),
  ]);
  return [markdownTable([head, ...rows], { align: ['l', 'r', 'r', 'r'] }), ''];
}

function spread({ deviation }: Spread): string {
  return deviation === undefined ? '' : `±${formatScore(deviation)}`;
}

function change(mean: number, before: number | undefined): string {
  if (before === undefined) return 'new';
  const difference = mean - before;
  return `${formatScore(before)} (${difference >= 0 ? '+' : ''}${formatScore(difference)})`;
}

function why({ runs, verdict }: ExampleResult): string {
  const failed = runs.filter(({ failures }) => failures.length > 0);
  const first = failed[0]?.failures[0] ?? '';
  if (verdict === 'skipped') return 'skipped';
  return verdict === 'flaky'
    ? `passed ${runs.length - failed.length} of ${runs.length} times; ${first}`
    : first;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Escapes text from a model or a user, so that it does not become Markdown or HTML on the page that shows it. */
function cell(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const short = line.length <= MAX_CELL_CHARS ? line : `${line.slice(0, MAX_CELL_CHARS - 1)}…`;
  return short.toWellFormed().replaceAll(/[\\`*_{}[\]()#|<>!~@&]/g, (character) => `\\${character}`);
}

function code(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}
