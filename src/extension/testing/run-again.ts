import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { evaluateExamples, type StoredExample } from '../../evaluation/evaluate-examples.ts';
import { EvaluationSettings } from '../../evaluation/evaluation-settings.ts';
import { readGraphNames } from '../../evaluation/graph-of-dataset.ts';
import { readProjectDatasets } from '../../evaluation/project-datasets.ts';
import { identifyProject, platformNames } from '../../evaluation/project-identity.ts';
import type { FileExample } from '../../example-files/file-example.ts';
import { listFileExamples } from '../../example-files/list-file-examples.ts';
import type { Experiment } from '../../experiments/experiment.ts';
import { readGitState } from '../../project/git-state.ts';
import type { FolderDeployments, OpenFolderDeployment } from '../deployments/folder-deployments.ts';
import { isCancellation } from '../dialogs/errors.ts';
import { findProjectEvaluation } from './project-evaluation.ts';

/** An experiment on a dataset of the local platform. */
export interface ExperimentToRepeat {
  readonly dataset: { readonly id: string; readonly name: string };
  readonly experiment: Experiment;
}

/**
 * Runs the graph and the evaluators of the open folder on the dataset version of an experiment, with the
 * same repetitions, and reports how many examples passed.
 * @param canceled cancels the run, like the button of the notification
 * @returns the ID of the new experiment; undefined when it was canceled, which ends the experiment
 * @throws ActionableError when the folder is not trusted or has no graphs; EvaluationError, RequestError.
 */
export async function runAgain(
  folders: FolderDeployments,
  repeated: ExperimentToRepeat,
  canceled: AbortSignal,
): Promise<string | undefined> {
  const { name } = repeated.dataset;
  // If the folder cannot be opened, this fails before a notification says that the run has started.
  const { config } = await folders.open();
  const title = vscode.l10n.t('Running {0} again', name);
  const location = vscode.ProgressLocation.Notification;
  const result = await vscode.window.withProgress(
    { location, title, cancellable: true },
    async (progress, token) => {
      const stopping = new AbortController();
      token.onCancellationRequested(() => stopping.abort(new vscode.CancellationError()));
      const signal = AbortSignal.any([canceled, stopping.signal]);
      try {
        return await repeat(await folders.openLoaded(config), repeated, { signal, progress });
      } catch (error) {
        if (signal.aborted || isCancellation(error)) return undefined;
        throw error;
      }
    },
  );
  if (result === undefined) return undefined;
  const passed = result.results.filter(({ verdict }) => verdict === 'passed').length;
  const counts = vscode.l10n.t('{0}: {1} of {2} examples passed.', name, passed, result.results.length);
  if (result.stopped === undefined) void vscode.window.showInformationMessage(counts);
  else void vscode.window.showWarningMessage(`${counts} ${result.stopped}`);
  return result.experiment.id;
}

interface Work {
  readonly signal: AbortSignal;
  readonly progress: vscode.Progress<{ message: string; increment: number }>;
}

async function repeat(
  opened: OpenFolderDeployment,
  { dataset, experiment }: ExperimentToRepeat,
  { signal, progress }: Work,
) {
  const { client, live } = opened;
  const { repetitions = 1, graph, startedAt, datasetVersion: version = startedAt } = experiment;
  const own = await findSettings(opened, dataset.name);
  const settings = { ...own, repetitions, graph: own.graph ?? (await chooseGraph(opened, graph)) };
  const evaluation = await findProjectEvaluation(opened, settings, signal);
  const examples: StoredExample<FileExample>[] = [];
  for await (const example of listFileExamples(client, dataset.id, { filter: { as_of: version }, signal }))
    if (example.id !== undefined) examples.push({ id: example.id, example });
  if (examples.length === 0)
    throw new Error(vscode.l10n.t('This version of {0} has no examples.', dataset.name));
  let ended = 0;
  return evaluateExamples({
    ...evaluation,
    client,
    examples,
    settings,
    signal,
    deploymentId: live.deployment_id,
    dataset: { id: dataset.id, version },
    prefix: dataset.name,
    onExample: () =>
      progress.report({
        message: vscode.l10n.t(
          '{0} of {1} examples',
          (++ended).toLocaleString(),
          examples.length.toLocaleString(),
        ),
        increment: 100 / examples.length,
      }),
  });
}

/** The settings in the folder's file for the dataset; the defaults if there is no such file. */
async function findSettings({ config }: OpenFolderDeployment, dataset: string): Promise<EvaluationSettings> {
  const project = identifyProject(await readGitState(config.uri.fsPath));
  for (const { name, settings } of await readProjectDatasets(path.dirname(config.uri.fsPath))) {
    if (platformNames(name, project).includes(dataset)) return settings;
  }
  return EvaluationSettings.parse({});
}

/**
 * The graph of the earlier experiment if the folder has it, or else the folder's only graph, or one that the
 * user chooses.
 * @throws CancellationError
 */
async function chooseGraph({ config }: OpenFolderDeployment, before: string | undefined): Promise<string> {
  const graphs = readGraphNames(await readFile(config.uri.fsPath, 'utf8'));
  const [only] = graphs;
  if (before !== undefined && graphs.includes(before)) return before;
  if (only !== undefined && graphs.length === 1) return only;
  const chosen = await vscode.window.showQuickPick(graphs, { title: vscode.l10n.t('Select a graph') });
  if (chosen === undefined) throw new vscode.CancellationError();
  return chosen;
}
