import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FileExample } from '../../evaluation/dataset-file.ts';
import { type ExampleResult, evaluateDataset } from '../../evaluation/evaluate-dataset.ts';
import { findEvaluatorFiles, graphOf, readGraphNames } from '../../evaluation/find-evaluations.ts';
import { readGitMetadata } from '../../evaluation/git-metadata.ts';
import { listEvaluators, selectEvaluators } from '../../evaluation/list-evaluators.ts';
import { filesOnDisk } from '../../project/project-files.ts';
import type { OpenFolderDeployment } from '../deployments/folder-deployments.ts';
import type { DatasetRow } from './dataset-tree.ts';

/** Somebody may look at a breakpoint for a day. */
const DEBUGGED_SECONDS = 86_400;

export interface DatasetToRun {
  readonly opened: OpenFolderDeployment;
  readonly row: DatasetRow;
  readonly examples: readonly FileExample[];
  /** One example at a time, without a time limit. */
  readonly isDebugged: boolean;
  readonly signal: AbortSignal;
  onStart(example: FileExample): void;
  onExample(result: ExampleResult): void;
}

/**
 * Evaluates examples of a dataset with the graph and the evaluators of its folder.
 * @throws EvaluationError, RequestError; an Error when the graphs are not loaded.
 */
export async function runDataset(request: DatasetToRun): Promise<void> {
  const { opened, row, examples, isDebugged, signal, onStart, onExample } = request;
  const { client, config, live } = opened;
  const { file } = row;
  const folder = path.dirname(config.uri.fsPath);
  if (live.runtime.state === 'failed') throw new Error(live.runtime.message);
  const graph = graphOf(file.settings.graph, readGraphNames(await readFile(config.uri.fsPath, 'utf8')));
  const files = await findEvaluatorFiles(filesOnDisk, folder);
  const all = await listEvaluators(client, live.deployment_id, files, { signal });
  await evaluateDataset({
    ...{ client, file, graph, examples, signal },
    deploymentId: live.deployment_id,
    settings: isDebugged
      ? { ...file.settings, concurrency: 1, repetitions: 1, timeout_seconds: DEBUGGED_SECONDS }
      : file.settings,
    evaluators: selectEvaluators(all, file.settings.evaluators),
    prefix: file.name,
    metadata: await readGitMetadata(config.uri.fsPath),
    onStart: (example) => onStart(example),
    onExample,
  });
}
