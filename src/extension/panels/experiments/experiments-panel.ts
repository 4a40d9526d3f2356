import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import { comparableOutput } from '../../../client/comparable-output.ts';
import type { Connections } from '../../connections/connections.ts';
import { exampleUri } from '../../datasets/example-address.ts';
import { type ErrorReporter, sentenceOf } from '../../dialogs/errors.ts';
import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';
import type { ExperimentToRepeat } from '../../testing/run-again.ts';
import { panelIcon } from '../panel-icon.ts';
import type { TraceTarget } from '../trace/trace-panels.ts';
import { WebviewHost } from '../webview-host.ts';
import { ExperimentsReader } from './experiments-reader.ts';
import {
  type Compared,
  type DatasetHead,
  type ExperimentsEvent,
  type ExperimentsPanelResponses,
  type ExperimentsPanelState,
  experimentsPanelRequests,
} from './messages.ts';
import { saveComparison } from './save-comparison.ts';

export interface ExperimentsPanelParts {
  readonly extensionUri: vscode.Uri;
  readonly connections: Connections;
  readonly documents: ReadOnlyDocuments;
  readonly errors: ErrorReporter;
  readonly openTrace: (target: TraceTarget) => Promise<void>;
  /**
   * Runs the code of the open folder again; returns the ID of the experiment, or undefined when canceled.
   */
  readonly runAgain: (experiment: ExperimentToRepeat, signal: AbortSignal) => Promise<string | undefined>;
}

/**
 * The experiments panel: the experiments on a dataset, and one of them compared to its baseline, example by
 * example.
 */
export class ExperimentsPanel {
  readonly datasetId: string;
  readonly connection: string;
  readonly #panel: vscode.WebviewPanel;
  readonly #parts: ExperimentsPanelParts;
  readonly #reader: ExperimentsReader;
  readonly #host: WebviewHost<ExperimentsEvent, typeof experimentsPanelRequests>;
  #datasetName = '';
  /** Cancels the run that was started last. */
  #running = new AbortController();

  constructor(panel: vscode.WebviewPanel, state: ExperimentsPanelState, parts: ExperimentsPanelParts) {
    this.datasetId = state.dataset_id;
    this.connection = state.connection;
    this.#panel = panel;
    this.#parts = parts;
    this.#reader = new ExperimentsReader({
      connect: () => this.#connect(),
      connection: parts.connections.get(state.connection),
      datasetId: state.dataset_id,
      send: (events) => this.#host.send(events),
      onError: (error) => {
        parts.errors.log(error, 'experiments panel, read the experiments');
        this.#host.send([{ type: 'failed', message: sentenceOf(error) }]);
      },
    });
    panel.iconPath = panelIcon(parts.extensionUri);
    panel.onDidDispose(() => this.#reader.dispose());
    this.#host = new WebviewHost({
      panel,
      extensionUri: parts.extensionUri,
      bundle: 'experiments',
      data: { state: JSON.stringify(state) },
      schemas: experimentsPanelRequests,
      errors: parts.errors,
      handlers: {
        ready: () => this.#open(),
        refresh: () => this.#reader.refresh(),
        compare: (compared) => this.#reader.compare(compared),
        setBaseline: async ({ experiment_id }) => {
          const client = await this.#connect();
          const params = { dataset_id: this.datasetId };
          await client.datasets.update({ params, body: { baseline_experiment_id: experiment_id } });
        },
        openTrace: ({ run_id, title }) =>
          parts.openTrace({ connection: this.connection, traceId: run_id, name: title }),
        compareOutputs: async ({ baseline_run_id, run_id, title }) => {
          const { tracing } = await this.#connect();
          const [before, after] = await Promise.all(
            [baseline_run_id, run_id].map((id) => tracing.runs.get({ params: { run_id: id } })),
          );
          const compared = [before, after].map((run) => comparableOutput(run?.outputs));
          await parts.documents.compareValues(title, compared[0], compared[1]);
        },
        compareTraces: ({ baseline_run_id, run_id, title }) =>
          parts.documents.compareTraces(this.connection, [baseline_run_id, run_id], title),
        openExample: async ({ example_id, title }) => {
          const address = { connection: this.connection, exampleId: example_id };
          await vscode.window.showTextDocument(exampleUri(address, this.#datasetName, title));
        },
        exportCsv: (compared) => this.#export(compared),
        runAgain: ({ experiment_id }) => this.#runAgain(experiment_id),
        cancelRun: () => this.#running.abort(new vscode.CancellationError()),
        showLog: async () => {
          await vscode.commands.executeCommand('agentHarbor.showLog');
        },
      },
    });
  }

  reveal(): void {
    this.#panel.reveal();
  }

  /** @throws ActionableError when the platform of the dataset cannot be reached. */
  #connect(): Promise<Client> {
    return this.#parts.connections.require(this.connection).connect();
  }

  async #open(): Promise<DatasetHead> {
    const head = await this.#reader.open();
    this.#datasetName = head.name;
    return { ...head, can_run: this.connection === this.#parts.connections.local.id };
  }

  async #runAgain(experimentId: string): Promise<ExperimentsPanelResponses['runAgain']> {
    const { errors, runAgain } = this.#parts;
    const experiment = this.#reader.find(experimentId);
    if (experiment === undefined) return {};
    try {
      const dataset = { id: this.datasetId, name: this.#datasetName };
      this.#running = new AbortController();
      const made = await runAgain({ dataset, experiment }, this.#running.signal);
      await this.#reader.refresh();
      return made === undefined ? 'canceled' : { experiment_id: made };
    } catch (error) {
      // Shown as a message, because the error may have actions, such as trusting the folder.
      void errors.report(error, 'run an experiment again');
      return {};
    }
  }

  async #export(compared: Compared): Promise<void> {
    const dataset = { id: this.datasetId, name: this.#datasetName };
    await saveComparison(await this.#connect(), dataset, compared);
  }
}
