import path from 'node:path';
import { z } from 'zod';
import { variablesOfCassettes } from '../../evaluation/cassette-variables.ts';
import { parseDatasetFile } from '../../evaluation/dataset-file.ts';
import { type ExampleResult, evaluateDataset } from '../../evaluation/evaluate-dataset.ts';
import { findDatasets } from '../../evaluation/find-evaluations.ts';
import { gitMetadataOf } from '../../evaluation/git-metadata.ts';
import { graphOf, readGraphNames } from '../../evaluation/graph-of-dataset.ts';
import { selectEvaluators } from '../../evaluation/list-evaluators.ts';
import { judge } from '../../evaluation/outcome.ts';
import { identifyProject } from '../../evaluation/project-identity.ts';
import { readGitState } from '../../project/git-state.ts';
import { filesOnDisk } from '../../project/project-files.ts';
import { readText } from '../../project/read-text.ts';
import { bounded, fitting, MAX_ANSWER } from '../bounded.ts';
import { defineProjectTool } from '../tool.ts';
import { requireLoaded } from '../tool-context.ts';

const Example = z.object({
  name: z.string(),
  verdict: z.enum(['passed', 'failed', 'flaky', 'skipped']),
  failures: z.array(z.string()),
  outputs: z.unknown().optional(),
  trace_id: z.string().optional(),
});

export const runEvaluation = defineProjectTool({
  name: 'run_evaluation',
  title: 'Run Evaluation',
  description:
    'Evaluates a dataset of the project with the current code of its graph and evaluators, and lists failed examples first. Without a dataset it lists all datasets.',
  effect: 'runs',
  input: z.object({ dataset: z.string().optional().describe('A file that ends with .dataset.jsonl') }),
  output: z.object({
    datasets: z.array(z.string()).optional(),
    passed: z.int().optional(),
    total: z.int().optional(),
    problems: z.array(z.string()),
    examples: z.array(Example),
    experiment: z.string().optional(),
  }),
  async run(context, { dataset }) {
    const config = await context.config();
    const folder = path.dirname(config);
    const found = (await findDatasets(filesOnDisk, folder)).map((file) =>
      path.relative(folder, file).replaceAll('\\', '/'),
    );
    if (dataset === undefined) return { datasets: found, problems: [], examples: [] };
    if (!found.includes(dataset)) {
      throw new Error(`The project has no dataset '${dataset}'. Datasets: ${found.join(', ') || 'none'}.`);
    }
    const name = path.join(folder, dataset);
    const file = parseDatasetFile(name, await readText(name));
    const [problem] = file.problems;
    if (problem !== undefined) throw new Error(`${dataset}:${problem.line}: ${problem.message}`);
    const { settings, examples } = file;
    const graph = graphOf(settings.graph, readGraphNames(await readText(config)));
    await using project = await context.serve(await variablesOfCassettes([file]));
    requireLoaded(project, graph);
    const state = await readGitState(config);
    const result = await evaluateDataset({
      file,
      settings,
      examples,
      signal: context.signal,
      prefix: file.name,
      graph,
      folder,
      evaluators: selectEvaluators(project.evaluators, settings.evaluators),
      metadata: gitMetadataOf(state),
      project: identifyProject(state),
      client: project.client,
      deploymentId: project.deploymentId,
      onExample: () => {},
    });
    const { problems } = judge(result, undefined, { failOnRegression: false });
    const rows = result.results.map(rowOf);
    const isPassed = ({ verdict }: z.input<typeof Example>) => verdict === 'passed';
    return {
      passed: rows.filter(isPassed).length,
      total: rows.length,
      problems: [...problems],
      examples: fitting(
        [...rows.filter((row) => !isPassed(row)), ...rows.filter(isPassed)],
        MAX_ANSWER - 1_000,
      ),
      experiment: result.experiment.name,
    };
  },
});

/** An example for the answer, with its first failed run, or with its first run if none failed. */
function rowOf({ example, verdict, runs }: ExampleResult): z.input<typeof Example> {
  const shown = runs.find(({ failures }) => failures.length > 0) ?? runs[0];
  return {
    name: example.label,
    verdict,
    failures: (shown?.failures ?? []).map((failure) => String(bounded(failure, 500))),
    outputs: verdict === 'passed' ? undefined : bounded(shown?.outputs, 800),
    trace_id: shown?.runId || undefined,
  };
}
