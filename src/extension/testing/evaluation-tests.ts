import * as vscode from 'vscode';
import { EXCLUDED_FOLDERS } from '../deployments/configs.ts';
import { DATASETS_PATTERN } from './dataset-pattern.ts';
import type { DatasetRuns, DatasetRunsParts, ShownRun } from './dataset-runs.ts';
import type { DatasetTree } from './dataset-tree.ts';

/** The parts that show and run tests; loaded when the Testing view or a command needs them. */
interface Loaded {
  readonly tree: DatasetTree;
  readonly runs: DatasetRuns;
}

/**
 * The datasets of the open folders in VS Code's Testing view: dataset, then example. Nothing is read before
 * the view asks for it, and nothing runs in an untrusted folder.
 */
export class EvaluationTests implements vscode.Disposable {
  readonly #parts: DatasetRunsParts;
  readonly #controller: vscode.TestController;
  readonly #subscriptions: vscode.Disposable;
  #loaded: Promise<Loaded> | undefined;

  constructor(parts: DatasetRunsParts) {
    this.#parts = parts;
    const controller = vscode.tests.createTestController(
      'agentHarbor.evaluations',
      vscode.l10n.t('Agent Harbor'),
    );
    this.#controller = controller;
    controller.resolveHandler = () => this.#refresh();
    controller.refreshHandler = () => this.#refresh();
    const { Run, Debug } = vscode.TestRunProfileKind;
    const run = controller.createRunProfile(
      vscode.l10n.t('Run'),
      Run,
      async (request, token) => (await this.#load()).runs.run(request, token),
      true,
    );
    run.supportsContinuousRun = true;
    const debug = controller.createRunProfile(
      vscode.l10n.t('Debug'),
      Debug,
      async (request, token) => (await this.#load()).runs.debug(request, token),
      true,
    );
    const watcher = vscode.workspace.createFileSystemWatcher(DATASETS_PATTERN);
    const changed = (uri: vscode.Uri) => this.#follow(uri);
    this.#subscriptions = vscode.Disposable.from(
      controller,
      run,
      debug,
      watcher,
      watcher.onDidCreate(changed),
      watcher.onDidChange(changed),
      watcher.onDidDelete(changed),
      parts.folders.onDidChange(() => this.#ifLoaded(({ runs }) => runs.followReloads())),
    );
  }

  /** The last run of an example, if it was run. */
  async findLastRun(item: vscode.TestItem): Promise<ShownRun | undefined> {
    return (await this.#load()).runs.lastRunOf(item);
  }

  /** The reasons why an example did not pass when it was last run; undefined if it passed or was not run. */
  async findFailure(item: vscode.TestItem): Promise<string | undefined> {
    return (await this.#load()).runs.failureOf(item);
  }

  /** The datasets of the open folders. */
  async findDatasets(): Promise<readonly vscode.Uri[]> {
    return vscode.workspace.findFiles(DATASETS_PATTERN, EXCLUDED_FOLDERS);
  }

  dispose(): void {
    this.#ifLoaded(({ runs }) => runs.dispose());
    this.#subscriptions.dispose();
  }

  #load(): Promise<Loaded> {
    this.#loaded ??= (async () => {
      const { DatasetTree } = await import('./dataset-tree.ts');
      const { DatasetRuns } = await import('./dataset-runs.ts');
      const tree = new DatasetTree(this.#controller);
      return { tree, runs: new DatasetRuns(this.#controller, tree, this.#parts) };
    })().catch((error: unknown) => {
      // The next call tries again.
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  /** Runs a step with the parts, if they have been asked for. If they fail to load, the caller of `#load` says why. */
  #ifLoaded(step: (loaded: Loaded) => void): void {
    void this.#loaded?.then(step, () => undefined);
  }

  async #refresh(): Promise<void> {
    const { tree } = await this.#load();
    await tree.show(await this.findDatasets());
  }

  /**
   * Follows a dataset that was saved, created or deleted. Before the view has been opened, there is nothing
   * to update.
   */
  #follow(uri: vscode.Uri): void {
    this.#ifLoaded(async ({ tree, runs }) => {
      await tree.refresh(uri);
      runs.followDataset(uri);
    });
  }
}
