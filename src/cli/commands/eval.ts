import { dirname, relative } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { type Baseline, baselineOf, compareWith, readBaseline } from '../../evaluation/baseline.ts';
import { variablesOfCassettes } from '../../evaluation/cassette-variables.ts';
import type { DatasetFile, FileExample } from '../../evaluation/dataset-file.ts';
import {
  type DatasetResult,
  type ExampleResult,
  evaluateDataset,
} from '../../evaluation/evaluate-dataset.ts';
import { EvaluationSettings } from '../../evaluation/evaluation-settings.ts';
import { findBaseline } from '../../evaluation/find-baseline.ts';
import { gitMetadataOf } from '../../evaluation/git-metadata.ts';
import { checkOut, resolveCommit } from '../../evaluation/git-worktree.ts';
import { graphOf, readGraphNames } from '../../evaluation/graph-of-dataset.ts';
import { selectEvaluators } from '../../evaluation/list-evaluators.ts';
import { judge, type Outcome } from '../../evaluation/outcome.ts';
import { identifyProject } from '../../evaluation/project-identity.ts';
import { junitOf } from '../../evaluation/reports/junit.ts';
import { markdownOf } from '../../evaluation/reports/markdown.ts';
import { findUploaded } from '../../evaluation/upload-dataset.ts';
import { messageOf } from '../../process/message-of.ts';
import { readGitState } from '../../project/git-state.ts';
import { readText } from '../../project/read-text.ts';
import { configOption, dataDirOption, listArgument } from '../arguments/arguments.ts';
import { printExample, printOutcome } from '../evaluation/print-outcome.ts';
import { readDatasets } from '../evaluation/read-datasets.ts';
import { type ServedProject, serveProject } from '../evaluation/served-project.ts';
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
  const outcomes: Outcome[] = [];
  try {
    const variables = await variablesOfCassettes(
      datasets.map((file) => ({ ...file, examples: chosenOf(file, options) })),
    );
    await using project = await serveProject(session, config, context.interrupted, variables);
    const state = await readGitState(config);
    const [identity, metadata] = [identifyProject(state), gitMetadataOf(state)];
    // Runs take time and cost money, so a missing baseline is reported before they start.
    for (const file of datasets) await requireBaseline(context, session, { file, config, identity, options });
    for (const file of datasets) {
      if (!options.json) context.terminal.line(relative(process.cwd(), file.file));
      const compared = { file, config, identity, options };
      const result = await run(context, project, {
        ...compared,
        metadata,
        onExample: (example) => showExample(context, file, example, options),
      });
      const outcome = await judgeResult(context, session, compared, result);
      outcomes.push(outcome);
      if (!options.json) printOutcome(context.terminal, outcome);
      else for (const problem of outcome.problems) context.terminal.note(problem);
    }
  } finally {
    await session.close();
  }
  if (options.junit !== undefined) await writeReport(options.junit, junitOf(outcomes, dirname(config)));
  if (options.markdown !== undefined) await writeReport(options.markdown, markdownOf(outcomes));
  if (outcomes.some(({ problems }) => problems.length > 0)) endWith(EXIT.failed);
}

/** Judges a result, in comparison with the baseline if there is one. */
async function judgeResult(
  context: Context,
  session: Parameters<typeof baselineFor>[1],
  compared: Compared,
  result: Parameters<typeof judge>[0],
): Promise<Outcome> {
  const { baseline, failOnRegression } = compared.options;
  const comparison =
    baseline === undefined
      ? undefined
      : compareWith(result, await baselineFor(context, session, { ...compared, result, name: baseline }));
  return judge(result, comparison, { failOnRegression: failOnRegression === true });
}

/** A dataset whose evaluation may be compared with a baseline. */
type Compared = Pick<ToRun, 'file' | 'config' | 'identity' | 'options'>;

interface ToRun {
  readonly file: DatasetFile;
  readonly config: string;
  /** The identity of the project, from `identifyProject`. */
  readonly identity: string;
  readonly metadata: Record<string, unknown>;
  readonly options: EvalOptions;
  readonly onExample: (result: ExampleResult) => void;
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

async function run(
  { terminal, interrupted }: Context,
  project: ServedProject,
  { file, config, identity, metadata, options, onExample }: ToRun,
): Promise<DatasetResult> {
  const { settings } = file;
  const graph = graphOf(settings.graph, readGraphNames(await readText(config)));
  const failure = project.failureOf(graph);
  if (failure !== undefined) throw new Failure(`Graph '${graph}' failed to load: ${failure}`);
  const evaluators = selectEvaluators(project.evaluators, settings.evaluators);
  if (evaluators.length === 0) {
    terminal.note('No evaluators: runs pass when they do not fail. Export evaluators from a file in evals.');
  }
  const examples = chosenOf(file, options);
  if (examples.length === 0) {
    throw new Failure(
      `No example of ${file.file} is in the split ${options.split?.join(', ')}. Name another with --split, or leave it out.`,
    );
  }
  return evaluateDataset({
    file,
    settings,
    graph,
    evaluators,
    examples,
    metadata,
    client: project.client,
    deploymentId: project.deploymentId,
    project: identity,
    folder: dirname(config),
    prefix: file.name,
    signal: interrupted,
    onExample,
  });
}

/** Checks that the baseline exists or can be evaluated. @throws Failure when it does not */
async function requireBaseline(
  { interrupted: signal }: Context,
  { client }: PlatformSession,
  { file, config, identity, options }: Compared,
): Promise<void> {
  const { baseline: name } = options;
  if (name === undefined || (await resolveCommit(dirname(config), name)) !== undefined) return;
  const dataset = await findUploaded(client, file, identity, { signal });
  const wanted = { name, commit: undefined, project: identity };
  if (dataset !== undefined && (await findBaseline(client, dataset.id, undefined, wanted, { signal })))
    return;
  throw noBaseline(name, file);
}

function noBaseline(name: string, { name: dataset }: DatasetFile): Failure {
  return new Failure(
    `--baseline: '${name}' is neither an experiment on '${dataset}' nor a branch or commit.`,
  );
}

/** Reads the scores of an earlier experiment. If a commit has none, its code is checked out and evaluated. */
async function baselineFor(
  context: Context,
  session: PlatformSession,
  evaluated: Compared & { readonly result: DatasetResult; readonly name: string },
): Promise<Baseline> {
  const { interrupted: signal, terminal } = context;
  const { file, config, identity, result, options, name } = evaluated;
  const commit = await resolveCommit(dirname(config), name);
  const wanted = { name, commit, project: identity };
  const known = await findBaseline(session.client, result.datasetId, result.experiment, wanted, { signal });
  if (known !== undefined) return readBaseline(session.client, known, name, { signal });
  if (commit === undefined) throw noBaseline(name, file);
  if (!options.json) terminal.line(`  evaluating ${name} (${commit.slice(0, 8)}) as the baseline`);
  await using worktree = await checkOut(config, commit);
  const variables = await variablesOfCassettes([{ ...file, examples: chosenOf(file, options) }]);
  await using project = await serveProject(session, worktree.config, signal, variables);
  const metadata = { revision_id: commit, git: { commit, dirty: false } };
  const before = await run(context, project, {
    file,
    config: worktree.config,
    identity,
    options,
    metadata,
    onExample: () => {},
  });
  return baselineOf(before, name);
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

/** Returns the examples to run. All others are only uploaded. */
function chosenOf({ examples }: DatasetFile, { split }: EvalOptions): readonly FileExample[] {
  return split === undefined ? examples : examples.filter((example) => isIn(split, example.split));
}

function isIn(splits: readonly string[], split: string | string[] | null | undefined): boolean {
  return [split ?? 'base'].flat().some((name) => splits.includes(name));
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
