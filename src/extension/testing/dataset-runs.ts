import * as vscode from 'vscode';
import { variablesOfCassettes } from '../../evaluation/cassette-variables.ts';
import type { FileExample } from '../../evaluation/dataset-file.ts';
import type { ExampleResult } from '../../evaluation/evaluate-dataset.ts';
import { hasPassedWhole } from '../../evaluation/whole-result.ts';
import type { Debugger } from '../debug/debugger.ts';
import { type Config, type FolderConfigs, nearestConfig } from '../deployments/configs.ts';
import type { FolderDeployments } from '../deployments/folder-deployments.ts';
import { type ErrorReporter, sentenceOf } from '../dialogs/errors.ts';
import type { DatasetRow, DatasetTree } from './dataset-tree.ts';
import { debugDuring } from './debug-during.ts';
import { runDataset } from './run-dataset.ts';
import { SavedSources } from './saved-sources.ts';
import { describeScores, messagesOf, outputOf, problemsOf } from './test-messages.ts';

export interface DatasetRunsParts {
  readonly configs: FolderConfigs;
  readonly folders: FolderDeployments;
  readonly debugging: Debugger;
  readonly errors: ErrorReporter;
}

/** A run to show. */
export interface ShownRun {
  readonly traceId: string;
  readonly name: string;
}

/** A dataset, and its examples that are to be run. */
interface Wanted {
  readonly uri: vscode.Uri;
  /** Keys of examples; all when absent. */
  readonly keys: ReadonlySet<string> | undefined;
}

/** A request that runs again whenever something has changed. */
interface Continuous {
  readonly request: vscode.TestRunRequest;
  readonly token: vscode.CancellationToken;
}

/** Runs examples for the Testing view. */
export class DatasetRuns implements vscode.Disposable {
  readonly #controller: vscode.TestController;
  readonly #tree: DatasetTree;
  readonly #parts: DatasetRunsParts;
  readonly #saved: SavedSources;
  /** The IDs of the last runs of examples, by their rows. */
  readonly #lastRuns = new WeakMap<vscode.TestItem, string>();
  /** The IDs of rows with a run, for `when` clauses. */
  readonly #traced = new Set<string>();
  /** The reasons why examples do not pass, by the IDs of their rows. */
  readonly #failures = new Map<string, string>();
  /** Datasets that failed as a whole when they were last run. */
  readonly #failedDatasets = new WeakSet<vscode.TestItem>();
  readonly #continuous = new Set<Continuous>();

  constructor(controller: vscode.TestController, tree: DatasetTree, parts: DatasetRunsParts) {
    this.#controller = controller;
    this.#tree = tree;
    this.#parts = parts;
    this.#saved = new SavedSources(parts.folders);
    void this.#saved.takeReloaded();
  }

  /** Runs the requested tests now, or whenever the code or the dataset has changed. */
  async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    if (request.continuous !== true) return this.#runOnce(request, token);
    const continuous = { request, token };
    this.#continuous.add(continuous);
    // The deployments are opened, because only the reloads of open ones can be followed.
    for (const { uri } of this.#wanted(request)) {
      const config = await this.#configOf(uri);
      // If a folder cannot be opened, running its tests reports why.
      if (config !== undefined) await this.#parts.folders.openLoaded(config).catch(() => {});
    }
    token.onCancellationRequested(() => this.#continuous.delete(continuous));
  }

  debug(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    return this.#runOnce(request, token, { isDebugged: true });
  }

  /** The last run of an example. */
  lastRunOf(item: vscode.TestItem): ShownRun | undefined {
    const traceId = this.#lastRuns.get(item);
    if (traceId === undefined) return undefined;
    return { traceId, name: this.#tree.rowOf(item)?.example?.label ?? item.label };
  }

  /** The reasons why an example did not pass when it was last run; undefined if it passed or was not run. */
  failureOf({ id }: vscode.TestItem): string | undefined {
    return this.#failures.get(id);
  }

  /** Repeats continuous requests whose graphs were loaded again. */
  async followReloads(): Promise<void> {
    const reloaded = await this.#saved.takeReloaded();
    if (reloaded.length === 0) return;
    for (const { request, token } of this.#continuous) {
      const configs = await Promise.all(this.#wanted(request).map(({ uri }) => this.#configOf(uri)));
      if (configs.some((config) => config !== undefined && reloaded.includes(config.uri.fsPath)))
        this.#again(request, token);
    }
  }

  /** Repeats continuous requests that include a dataset. */
  followDataset(changed: vscode.Uri): void {
    for (const { request, token } of this.#continuous) {
      if (this.#wanted(request).some(({ uri }) => uri.toString() === changed.toString()))
        this.#again(request, token);
    }
  }

  dispose(): void {
    this.#continuous.clear();
    this.#saved.dispose();
  }

  #again({ include, exclude, profile }: vscode.TestRunRequest, token: vscode.CancellationToken): void {
    // Each run needs its own request; otherwise, VS Code would add its results to those of the first run.
    const request = new vscode.TestRunRequest(include, exclude, profile, true);
    this.#runOnce(request, token).catch((error) => this.#parts.errors.log(error, 'run tests again'));
  }

  async #runOnce(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    { isDebugged } = { isDebugged: false },
  ): Promise<void> {
    const run = this.#controller.createTestRun(request);
    const aborted = new AbortController();
    const subscriptions = [token, run.token].map((each) =>
      each.onCancellationRequested(() => aborted.abort(new vscode.CancellationError())),
    );
    if (token.isCancellationRequested) aborted.abort(new vscode.CancellationError());
    try {
      for (const wanted of this.#wanted(request)) {
        if (aborted.signal.aborted) break;
        await this.#runDataset(run, wanted, { isDebugged, signal: aborted.signal });
      }
    } finally {
      for (const subscription of subscriptions) subscription.dispose();
      run.end();
    }
  }

  /** Runs examples of a dataset, and shows their results, or why they did not run. */
  async #runDataset(
    run: vscode.TestRun,
    { uri, keys }: Wanted,
    { isDebugged, signal }: { readonly isDebugged: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    const row = await this.#tree.read(uri);
    const examples = row.file.examples.filter(({ key }) => keys === undefined || keys.has(key));
    /** Uses the row of an example, unless it was removed in the meantime. */
    const withItem = (example: FileExample, use: (item: vscode.TestItem) => void) => {
      const item = this.#tree.itemOf(uri, example);
      if (item !== undefined) use(item);
    };
    for (const example of examples) withItem(example, (item) => run.enqueued(item));
    const ended = new Set<FileExample>();
    try {
      const config = await this.#prepare(row, examples);
      const evaluate = async () => {
        const result = await runDataset({
          opened: await this.#parts.folders.openLoaded(config),
          row,
          examples,
          isDebugged,
          signal,
          onStart: (example) => withItem(example, (item) => run.started(item)),
          onExample: (result) => {
            ended.add(result.example);
            this.#showResult(run, uri, result);
          },
        });
        if (result.overwritten > 0) run.appendOutput(`${overwrittenSentence(result.overwritten)}\r\n`);
        this.#judge(run, uri, problemsOf(uri, result), hasPassedWhole(result));
      };
      await (isDebugged ? debugDuring(this.#parts.debugging, config, evaluate) : evaluate());
    } catch (error) {
      if (!signal.aborted) {
        const others = examples.filter((example) => !ended.has(example));
        this.#fail(run, row, others, error);
        return;
      }
      const sentence = vscode.l10n.t('Canceled after {0} of {1} examples.', ended.size, examples.length);
      run.appendOutput(`${sentence}\r\n`);
      const item = this.#tree.datasetItem(row.uri);
      if (item !== undefined && ended.size < examples.length)
        run.errored(item, new vscode.TestMessage(sentence));
    }
    for (const example of examples) if (!ended.has(example)) withItem(example, (item) => run.skipped(item));
  }

  /**
   * Opens the project of a dataset for its examples: with stand-ins for missing variables, and with the
   * newest sources.
   * @throws Error when there is no langgraph.json; ActionableError, RequestError
   */
  async #prepare({ uri, file }: DatasetRow, examples: readonly FileExample[]): Promise<Config> {
    const config = await this.#configOf(uri);
    if (config === undefined) {
      throw new Error(vscode.l10n.t('No langgraph.json in the folders around {0}.', uri.fsPath));
    }
    const { folders } = this.#parts;
    await folders.open(config);
    await folders.standIn(config, await variablesOfCassettes([{ ...file, examples }]));
    if (this.#saved.hasNewerSources(config)) await folders.reload(config);
    return config;
  }

  /** Shows the result of an example in its row, unless the row was removed in the meantime. */
  #showResult(run: vscode.TestRun, uri: vscode.Uri, result: ExampleResult): void {
    const item = this.#tree.itemOf(uri, result.example);
    if (item === undefined) return;
    const duration = result.runs.reduce((sum, { durationMs }) => sum + durationMs, 0);
    this.#tree.showScores(item, describeScores(result));
    run.appendOutput(outputOf(result), undefined, item);
    // The trace of the worst repetition is the one to look at.
    const [worst] = result.runs.toSorted((a, b) => b.failures.length - a.failures.length);
    if (worst !== undefined && worst.runId !== '') this.#noteRun(item, worst.runId);
    this.#noteVerdict(item, result);
    if (result.verdict === 'passed') run.passed(item, duration);
    else run.failed(item, messagesOf(uri, result), duration);
  }

  /**
   * Fails a dataset that has problems as a whole. Without problems, the dataset's row follows its examples;
   * it is marked as passed only if it had failed before, once all examples pass.
   */
  #judge(run: vscode.TestRun, uri: vscode.Uri, problems: vscode.TestMessage[], hasPassed: boolean): void {
    const item = this.#tree.datasetItem(uri);
    if (item === undefined) return;
    if (problems.length > 0) {
      this.#failedDatasets.add(item);
      run.failed(item, problems);
    } else if (hasPassed && this.#failedDatasets.delete(item)) run.passed(item);
  }

  /** Notes the run of an example, whose row then has a button for its trace. */
  #noteRun(item: vscode.TestItem, runId: string): void {
    this.#lastRuns.set(item, runId);
    if (this.#traced.has(item.id)) return;
    this.#traced.add(item.id);
    void vscode.commands.executeCommand('setContext', 'agentHarbor.tracedTests', [...this.#traced]);
  }

  /** Notes whether an example passed. If it did not, its row has a button to fix it with chat. */
  #noteVerdict({ id }: vscode.TestItem, { verdict, runs }: ExampleResult): void {
    const wasKnown = this.#failures.delete(id);
    const doesFail = verdict !== 'passed';
    if (doesFail) this.#failures.set(id, runs.flatMap(({ failures }) => failures).join('\n'));
    if (wasKnown !== doesFail)
      void vscode.commands.executeCommand('setContext', 'agentHarbor.failedTests', [
        ...this.#failures.keys(),
      ]);
  }

  /** Reports an error that kept examples from running. */
  #fail(run: vscode.TestRun, { uri }: DatasetRow, examples: readonly FileExample[], error: unknown): void {
    const sentence = sentenceOf(error);
    for (const example of examples) {
      const item = this.#tree.itemOf(uri, example);
      if (item !== undefined) run.errored(item, new vscode.TestMessage(sentence));
    }
    run.appendOutput(`${sentence.replaceAll('\n', '\r\n')}\r\n`);
  }

  /** The langgraph.json in the nearest folder around a dataset. */
  async #configOf(uri: vscode.Uri): Promise<Config | undefined> {
    return nearestConfig(await this.#parts.configs.list(), uri);
  }

  /** The datasets of a request, each with its examples. */
  #wanted({ include, exclude = [] }: vscode.TestRunRequest): Wanted[] {
    const items = include ?? [...this.#controller.items].map(([, item]) => item);
    const wanted = new Map<string, { uri: vscode.Uri; keys: Set<string> | undefined }>();
    const without = new Set(exclude);
    for (const item of items) {
      const row = this.#tree.rowOf(item);
      if (row === undefined || without.has(item)) continue;
      const known = wanted.get(row.uri.toString()) ?? { uri: row.uri, keys: new Set<string>() };
      wanted.set(row.uri.toString(), known);
      if (row.example !== undefined) known.keys?.add(row.example.key);
      else if ([...item.children].some(([, child]) => without.has(child))) {
        for (const [key, child] of item.children) if (!without.has(child)) known.keys?.add(key);
      } else known.keys = undefined;
    }
    return [...wanted.values()];
  }
}

function overwrittenSentence(count: number): string {
  return count === 1
    ? vscode.l10n.t(
        '1 example was changed or added on the platform since the last upload. The file takes precedence.',
      )
    : vscode.l10n.t(
        '{0} examples were changed or added on the platform since the last upload. The file takes precedence.',
        count,
      );
}
