import { dirname, relative } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { compareWith } from '../../evaluation/baseline.ts';
import { variablesOfCassettes } from '../../evaluation/cassette-variables.ts';
import type { DatasetFile } from '../../evaluation/dataset-file.ts';
import type { ExampleResult } from '../../evaluation/evaluate-dataset.ts';
import { EvaluationSettings } from '../../evaluation/evaluation-settings.ts';
import { gitMetadataOf } from '../../evaluation/git-metadata.ts';
import { judge, type Outcome } from '../../evaluation/outcome.ts';
import { identifyProject } from '../../evaluation/project-identity.ts';
import { junitOf } from '../../evaluation/reports/junit.ts';
import { markdownOf } from '../../evaluation/reports/markdown.ts';
import { messageOf } from '../../process/message-of.ts';
import { readGitState } from '../../project/git-state.ts';
import { configOption, dataDirOption, listArgument } from '../arguments/arguments.ts';
import { baselineFor, type ComparedDataset, requireBaseline } from '../evaluation/baselines.ts';
import { printExample, printOutcome } from '../evaluation/print-outcome.ts';
import { readDatasets } from '../evaluation/read-datasets.ts';
import { examplesIn, runDataset } from '../evaluation/run-dataset.ts';
import { serveProject } from '../evaluation/served-project.ts';
import { connectToPlatform, type PlatformSession } from '../folders/agent-connection.ts';
import { findConfig } from '../folders/open-folder.ts';
import type { Context } from '../terminal/context.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { endWith, Failure, usage } from '../terminal/failure.ts';
import { prepareOutput, writeOutput } from '../terminal/write-output.ts';

interface EvalOptions {
  readonly config: string;
  readonly graph?: string;
  readonly evaluator?: readonly string[];
  readonly split?: readonly string[];
  readonly repetitions?: number;
  readonly concurrency?: number;
  readonly timeout?: number;
  readonly cassettes: boolean;
  readonly baseline?: string;
  readonly failOnRegression?: true;
  readonly junit?: string;
  readonly markdown?: string;
  readonly json?: true;
  readonly dataDir?: string;
}

export function evalCommand(context: Context): Command {
  return new Command('eval')
    .description('evaluate a graph on datasets; exit 1 if examples or thresholds fail')
    .argument(
      '[datasets...]',
      "files named *.dataset.jsonl, or promptfoo's tests (default: all datasets of the project)",
    )
    .addOption(configOption())
    .option('--graph <name>', 'graph to evaluate, instead of the one that the dataset names')
    .option('--evaluator <names>', 'only these evaluators, separated by commas', listArgument)
    .option('--split <names>', 'only examples of these splits, separated by commas', listArgument)
    .option('--repetitions <number>', 'number of runs of each example', smallCountArgument)
    .option('--concurrency <number>', 'number of examples to run at the same time', smallCountArgument)
    .option('--timeout <seconds>', 'time limit of a run or an evaluator', secondsArgument)
    .option('--no-cassettes', 'call models and tools even for examples with a cassette')
    .option(
      '--baseline <name>',
      'compare with an experiment, or with a branch or commit, which is evaluated first if needed',
    )
    .option(
      '--fail-on-regression',
      'exit 1 when an example passed more often in the baseline; needs --baseline',
    )
    .option('--junit <file>', 'write a JUnit report')
    .option('--markdown <file>', 'write Markdown for a pull request')
    .addOption(dataDirOption())
    .option('--json', 'print one line of JSON per example')
    .action((datasets: string[], options: EvalOptions) => evaluate(context, datasets, options));
}

async function evaluate(context: Context, named: readonly string[], options: EvalOptions): Promise<void> {
  if (options.failOnRegression && options.baseline === undefined) {
    throw usage('--fail-on-regression needs --baseline.');
  }
  for (const report of [options.junit, options.markdown])
    if (report !== undefined) await prepareReport(report);
  const config = await findConfig(options.config);
  const datasets = (await readDatasets(config, named)).map((file) => withOptions(file, options));
  const session = await connectToPlatform(context, { ...options, client: 'agent-harbor eval' });
  let outcomes: readonly Outcome[];
  try {
    outcomes = await evaluateAll(context, session, config, datasets, options);
  } finally {
    await session.close();
  }
  if (options.junit !== undefined) await writeReport(options.junit, junitOf(outcomes, dirname(config)));
  if (options.markdown !== undefined) await writeReport(options.markdown, markdownOf(outcomes));
  if (outcomes.some(({ problems }) => problems.length > 0)) endWith(EXIT.failed);
}

/** Evaluates one dataset after the other, and prints the outcome of each. */
async function evaluateAll(
  context: Context,
  session: PlatformSession,
  config: string,
  datasets: readonly DatasetFile[],
  options: EvalOptions,
): Promise<readonly Outcome[]> {
  const { baseline, split } = options;
  const variables = await variablesOfCassettes(
    datasets.map((file) => ({ ...file, examples: examplesIn(file, split) })),
  );
  await using project = await serveProject(session, config, context.interrupted, variables);
  const state = await readGitState(config);
  const [identity, metadata] = [identifyProject(state), gitMetadataOf(state)];
  // Runs take time and cost money, so a missing baseline is reported before they start.
  if (baseline !== undefined) {
    for (const file of datasets) {
      await requireBaseline(context, session, baseline, { file, config, identity });
    }
  }
  const outcomes: Outcome[] = [];
  for (const file of datasets) {
    if (!options.json) context.terminal.line(relative(process.cwd(), file.file));
    const evaluated = { file, config, identity, split };
    const result = await runDataset(context, project, {
      ...evaluated,
      metadata,
      onExample: (example) => showExample(context, file, example, options),
    });
    const outcome = await judgeResult(context, session, { ...evaluated, result }, options);
    outcomes.push(outcome);
    if (!options.json) printOutcome(context.terminal, outcome);
    else for (const problem of outcome.problems) context.terminal.note(problem);
  }
  return outcomes;
}

function showExample(
  { terminal }: Context,
  { name }: DatasetFile,
  result: ExampleResult,
  { json }: EvalOptions,
) {
  if (!json) return printExample(terminal, result);
  const { example, runs, verdict } = result;
  const { line, label } = example;
  terminal.json({ dataset: name, line, label, verdict, runs });
}

/** Judges a result, in comparison with the baseline if there is one. */
async function judgeResult(
  context: Context,
  session: PlatformSession,
  compared: ComparedDataset,
  options: EvalOptions,
): Promise<Outcome> {
  const { result } = compared;
  const { baseline: name } = options;
  const json = options.json === true;
  const comparison =
    name === undefined
      ? undefined
      : compareWith(result, await baselineFor(context, session, { ...compared, name, json }));
  return judge(result, comparison, { failOnRegression: options.failOnRegression === true });
}

function withOptions(file: DatasetFile, options: EvalOptions): DatasetFile {
  const { graph, evaluator, repetitions, concurrency, timeout, cassettes } = options;
  const settings = EvaluationSettings.parse({
    ...file.settings,
    ...(graph === undefined ? {} : { graph }),
    ...(evaluator === undefined ? {} : { evaluators: evaluator }),
    ...(repetitions === undefined ? {} : { repetitions }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(timeout === undefined ? {} : { timeout_seconds: timeout }),
    ...(cassettes ? {} : { cassettes }),
  });
  return { ...file, settings };
}

/**
 * Makes the folder of a report. @throws Failure when the folder cannot be made, or when the path leads to a
 * folder
 */
async function prepareReport(file: string): Promise<void> {
  await prepareOutput(file).catch((error: unknown) => fail(file, error));
}

async function writeReport(file: string, text: string): Promise<void> {
  await writeOutput(file, [text]).catch((error: unknown) => fail(file, error));
}

function fail(file: string, error: unknown): never {
  throw new Failure(`Could not write ${file}: ${messageOf(error)}`);
}

function smallCountArgument(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= 64) return count;
  throw new InvalidArgumentError('Must be a whole number from 1 to 64.');
}

function secondsArgument(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new InvalidArgumentError('Must be a number of seconds, such as 60.');
}
