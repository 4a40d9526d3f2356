import path from 'node:path';
import type { FileExample } from '../../evaluation/dataset-file.ts';
import {
  type DatasetResult,
  type ExampleResult,
  evaluateDataset,
} from '../../evaluation/evaluate-dataset.ts';
import { refuseEqualNames } from '../../evaluation/project-datasets.ts';
import type { OpenFolderDeployment } from '../deployments/folder-deployments.ts';
import type { DatasetRow } from './dataset-tree.ts';
import { findProjectEvaluation } from './project-evaluation.ts';

/** The time limit while debugging: a user may stay at a breakpoint for up to a day. */
const DEBUGGED_SECONDS = 86_400;

/** Examples of a dataset to evaluate. */
export interface DatasetToRun {
  readonly opened: OpenFolderDeployment;
  readonly row: DatasetRow;
  readonly examples: readonly FileExample[];
  /** Whether the debugger is attached: one example at a time, and a long time limit. */
  readonly isDebugged: boolean;
  readonly signal: AbortSignal;
  onStart(example: FileExample): void;
  onExample(result: ExampleResult): void;
}

/**
 * Evaluates examples of a dataset with the graph and the evaluators of its folder.
 * @throws EvaluationError, RequestError; Error when the project could not be loaded.
 */
export async function runDataset(request: DatasetToRun): Promise<DatasetResult> {
  const { opened, row, examples, isDebugged, signal, onStart, onExample } = request;
  const { client, live } = opened;
  const { file } = row;
  const folder = path.dirname(opened.config.uri.fsPath);
  await refuseEqualNames([file], folder);
  return evaluateDataset({
    ...(await findProjectEvaluation(opened, file.settings, signal)),
    client,
    file,
    examples,
    signal,
    folder,
    deploymentId: live.deployment_id,
    settings: isDebugged
      ? { ...file.settings, concurrency: 1, repetitions: 1, timeout_seconds: DEBUGGED_SECONDS }
      : file.settings,
    prefix: file.name,
    onStart: (example) => onStart(example),
    onExample,
  });
}
