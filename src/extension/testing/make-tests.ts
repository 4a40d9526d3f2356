import * as vscode from 'vscode';
import { type Config, configItem, type FolderConfigs, nearestConfig } from '../deployments/configs.ts';
import type { RunReviews } from '../run-files/run-reviews.ts';
import type { RunToSave } from '../run-files/save-run.ts';
import type { EvaluationTests } from './evaluation-tests.ts';
import { type TestSource, writeTests } from './write-tests.ts';

export interface MakeTestsParts {
  readonly configs: FolderConfigs;
  readonly tests: EvaluationTests;
  readonly runReviews: RunReviews;
}

/**
 * Appends runs, or the last runs of threads, to a dataset of a project, with their outputs as the reference,
 * and shows the dataset. The user chooses the project and the dataset.
 * @throws Error when there is no project or run; see `writeTests`
 */
export async function makeTests(
  { configs, tests, runReviews }: MakeTestsParts,
  found: readonly (TestSource | RunToSave)[],
): Promise<void> {
  const sources = await Promise.all(found.map((one) => ('opened' in one ? findLastRun(one) : one)));
  const all = await configs.list();
  const config = await chooseConfig(all, sources);
  if (config === undefined) return;
  const datasets = await tests.findDatasets();
  const dataset = await askForDataset(
    config,
    datasets.filter((uri) => nearestConfig(all, uri)?.uri.path === config.uri.path),
    sources[0]?.run?.graphId ?? '',
  );
  if (dataset === undefined || !(await writeTests(config, dataset, sources, runReviews))) return;
  const editor = await vscode.window.showTextDocument(dataset, { preview: true });
  // The text ends with a line break, so the last line is empty.
  const last = new vscode.Position(editor.document.lineCount - 2, 0);
  editor.selection = new vscode.Selection(last, last);
  editor.revealRange(editor.selection);
}

/** The project of the runs, else one that the user chooses; undefined when canceled. */
async function chooseConfig(
  all: readonly Config[],
  sources: readonly TestSource[],
): Promise<Config | undefined> {
  if (all.length === 0) {
    throw new Error(vscode.l10n.t('Tests are files beside your graph. Open a folder with a langgraph.json.'));
  }
  const own = sources.find(({ run }) => run?.opened.config !== undefined)?.run?.opened.config;
  if (own !== undefined || all.length === 1) return own ?? all[0];
  const items = all.map(configItem);
  const title = vscode.l10n.t('Select the project to test');
  return (await vscode.window.showQuickPick(items, { title }))?.config;
}

/** Asks for a dataset. @param proposal the name of a new one, such as that of the graph */
async function askForDataset(
  config: Config,
  found: readonly vscode.Uri[],
  proposal: string,
): Promise<vscode.Uri | undefined> {
  const items = found
    .map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const fresh = {
    label: vscode.l10n.t('New Dataset…'),
    iconPath: new vscode.ThemeIcon('add'),
    uri: undefined,
  };
  const title = vscode.l10n.t('Select a dataset in this folder');
  const chosen = await vscode.window.showQuickPick([fresh, ...items], { title });
  if (chosen === undefined || chosen.uri !== undefined) return chosen?.uri;
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('New Dataset'),
    prompt: vscode.l10n.t('Dataset name'),
    value: proposal,
    validateInput: (value) =>
      /^[\w-][\w .-]*$/.test(value.trim())
        ? undefined
        : vscode.l10n.t('Use only letters, digits, spaces, dots, and hyphens.'),
  });
  if (name === undefined) return undefined;
  return vscode.Uri.joinPath(config.uri, '..', 'evals', `${name.trim()}.dataset.jsonl`);
}

/** The newest run of a thread. */
async function findLastRun(run: RunToSave): Promise<TestSource> {
  const { client } = run.opened;
  const [last] = await client.runs.list({ params: { thread_id: run.threadId }, query: { limit: 1 } });
  if (last?.run_id === undefined) throw new Error(vscode.l10n.t('This thread has no runs yet.'));
  return { client, runId: last.run_id, run };
}
