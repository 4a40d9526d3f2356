import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { EvaluationSettings } from '../../evaluation/evaluation-settings.ts';
import { findEvaluatorFiles } from '../../evaluation/find-evaluations.ts';
import { gitMetadataOf } from '../../evaluation/git-metadata.ts';
import { graphOf, readGraphNames } from '../../evaluation/graph-of-dataset.ts';
import { listEvaluators, selectEvaluators } from '../../evaluation/list-evaluators.ts';
import { identifyProject } from '../../evaluation/project-identity.ts';
import type { EvaluatorReference } from '../../evaluation/score-run.ts';
import { readGitState } from '../../project/git-state.ts';
import { filesOnDisk } from '../../project/project-files.ts';
import type { OpenFolderDeployment } from '../deployments/folder-deployments.ts';

/** The graph and the evaluators with which a project evaluates a dataset, and the project's identity. */
interface ProjectEvaluation {
  readonly graph: string;
  readonly evaluators: readonly EvaluatorReference[];
  /** See `identifyProject`. */
  readonly project: string;
  /** Metadata for the experiment about the code that it ran. */
  readonly metadata: Record<string, unknown>;
}

/**
 * Finds the graph and the evaluators of a folder that settings ask for. Loading evaluators runs their files.
 * @throws EvaluationError, RequestError; Error when the project could not be loaded.
 */
export async function findProjectEvaluation(
  { client, config, live }: OpenFolderDeployment,
  settings: Pick<EvaluationSettings, 'graph' | 'evaluators'>,
  signal: AbortSignal,
): Promise<ProjectEvaluation> {
  const { fsPath } = config.uri;
  if (live.runtime.state === 'failed') throw new Error(live.runtime.message);
  const graph = graphOf(settings.graph, readGraphNames(await readFile(fsPath, 'utf8')));
  const files = await findEvaluatorFiles(filesOnDisk, path.dirname(fsPath));
  const all = await listEvaluators(client, live.deployment_id, files, { signal });
  const state = await readGitState(fsPath);
  return {
    graph,
    evaluators: selectEvaluators(all, settings.evaluators),
    project: identifyProject(state),
    metadata: gitMetadataOf(state),
  };
}
