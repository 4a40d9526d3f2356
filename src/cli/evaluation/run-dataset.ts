import { dirname } from 'node:path';
import type { DatasetFile, FileExample } from '../../evaluation/dataset-file.ts';
import {
  type DatasetResult,
  type ExampleResult,
  evaluateDataset,
} from '../../evaluation/evaluate-dataset.ts';
import { graphOf, readGraphNames } from '../../evaluation/graph-of-dataset.ts';
import { selectEvaluators } from '../../evaluation/list-evaluators.ts';
import { readText } from '../../project/read-text.ts';
import type { Context } from '../terminal/context.ts';
import { Failure } from '../terminal/failure.ts';
import type { ServedProject } from './served-project.ts';

/** A dataset to evaluate on a project. */
export interface DatasetToRun {
  readonly file: DatasetFile;
  /** The project's langgraph.json. */
  readonly config: string;
  /** The identity of the project, from `identifyProject`. */
  readonly identity: string;
  /** The splits to run; undefined runs all examples. */
  readonly split: readonly string[] | undefined;
  readonly metadata: Record<string, unknown>;
  readonly onExample: (result: ExampleResult) => void;
}

/** Evaluates a dataset. @throws RequestError; EvaluationError; Failure when the graph or the splits cannot be run */
export async function runDataset(
  { terminal, interrupted }: Context,
  project: ServedProject,
  { file, config, identity, split, metadata, onExample }: DatasetToRun,
): Promise<DatasetResult> {
  const { settings } = file;
  const graph = graphOf(settings.graph, readGraphNames(await readText(config)));
  const failure = project.failureOf(graph);
  if (failure !== undefined) throw new Failure(`Graph '${graph}' failed to load: ${failure}`);
  const evaluators = selectEvaluators(project.evaluators, settings.evaluators);
  if (evaluators.length === 0) {
    terminal.note('No evaluators: runs pass when they do not fail. Export evaluators from a file in evals.');
  }
  const examples = examplesIn(file, split);
  if (examples.length === 0) {
    throw new Failure(
      `No example of ${file.file} is in the split ${split?.join(', ')}. Name another with --split, or leave it out.`,
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

/** Returns the examples to run. All others are only uploaded. */
export function examplesIn(
  { examples }: DatasetFile,
  split: readonly string[] | undefined,
): readonly FileExample[] {
  return split === undefined ? examples : examples.filter((example) => isIn(split, example.split));
}

function isIn(splits: readonly string[], split: string | string[] | null | undefined): boolean {
  return [split ?? 'base'].flat().some((name) => splits.includes(name));
}
