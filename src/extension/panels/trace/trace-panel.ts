import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import type { Connections } from '../../connections/connections.ts';
import { findDebugTargetOfTrace } from '../../debug/debug-target.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import type { RunTarget } from '../../deployments/run-target.ts';
import { type ErrorReporter, sentenceOf } from '../../dialogs/errors.ts';
import type { OpenedFiles } from '../../documents/opened-files.ts';
import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';
import { showFrame, showSource } from '../../graphs/show-source.ts';
import type { NodeRunner } from '../../nodes/node-runner.ts';
import { openSpanNode } from '../../nodes/span-node.ts';
import type { SpanOrigin } from '../../traces/span-origin.ts';
import { SpanPlaces } from '../../traces/span-places.ts';
import { type FeedbackByPerson, panelMetadata, replacement } from '../feedback.ts';
import { panelIcon } from '../panel-icon.ts';
import { WebviewHost } from '../webview-host.ts';
import type { PanelKey } from '../webview-rpc.ts';
import { type TraceEvent, type TraceHead, type TracePanelState, tracePanelRequests } from './messages.ts';
import { readDetails } from './read-details.ts';
import { TraceFollower } from './trace-follower.ts';

export interface TracePanelParts {
  readonly extensionUri: vscode.Uri;
  readonly connections: Connections;
  readonly deployments: Deployments;
  readonly documents: ReadOnlyDocuments;
  readonly files: OpenedFiles;
  readonly errors: ErrorReporter;
  /** The runner of single nodes, loaded when it is first needed. */
  readonly nodes: () => Promise<NodeRunner>;
  readonly openRunPanel: (target: RunTarget) => Promise<void>;
}

/** The trace panel: the spans of a trace on a time axis, and the inputs and outputs of the selected one. */
export class TracePanel {
  readonly traceId: string;
  readonly connection: string;
  readonly #panel: vscode.WebviewPanel;
  readonly #parts: TracePanelParts;
  readonly #places: SpanPlaces;
  readonly #follower: TraceFollower;
  readonly #host: WebviewHost<TraceEvent, typeof tracePanelRequests>;
  readonly #closing: vscode.Disposable;

  constructor(panel: vscode.WebviewPanel, state: TracePanelState, parts: TracePanelParts) {
    this.traceId = state.trace_id;
    this.connection = state.connection;
    this.#panel = panel;
    this.#parts = parts;
    this.#places = new SpanPlaces(parts.deployments, parts.connections.local);
    this.#follower = new TraceFollower({
      connect: () => this.#connect(),
      connection: parts.connections.get(state.connection),
      traceId: state.trace_id,
      onError: (error) => this.#fail(error),
    });
    panel.iconPath = panelIcon(parts.extensionUri);
    this.#closing = panel.onDidDispose(() => this.#follower.dispose());
    this.#host = new WebviewHost({
      panel,
      extensionUri: parts.extensionUri,
      bundle: 'trace',
      data: { state: JSON.stringify(state) },
      schemas: tracePanelRequests,
      errors: parts.errors,
      handlers: {
        ready: () => this.#ready(),
        span: async ({ run_id }) => readDetails(await this.#connect(), run_id),
        places: (origin) => this.#places.describe(origin),
        feedback: (feedback) => this.#giveFeedback(feedback),
        deleteFeedback: async ({ feedback_id }) => {
          await (await this.#connect()).tracing.feedback.delete({ params: { feedback_id } });
          this.#host.send([{ type: 'changed' }]);
        },
        openThread: (origin) => this.#openThread(origin),
        openSource: (origin) => this.#openSource(origin),
        openFrame: showFrame,
        openSpan: ({ run_id, name }) =>
          parts.documents.showSpan(name, { connection: this.connection, run: run_id }),
        openJson: ({ title, value }) => parts.documents.showValue(title, value),
        openFile: (file) => parts.files.open(file),
        copy: ({ text }) => vscode.env.clipboard.writeText(text),
        runNode: ({ run_id }) => this.runNode(run_id),
        copyId: ({ run_id }) => vscode.env.clipboard.writeText(run_id),
        showLog: async () => {
          await vscode.commands.executeCommand('agentHarbor.showLog');
        },
      },
    });
  }

  /** @throws ActionableError when the platform of the trace cannot be reached. */
  #connect(): Promise<Client> {
    return this.#parts.connections.require(this.connection).connect();
  }

  /** Sends the webview a key, or an item of its context menu. */
  press(key: PanelKey): void {
    this.#host.press(key);
  }

  get isActive(): boolean {
    return this.#panel.active;
  }

  /** Opens the input of a span's node, to run it alone. */
  async runNode(spanId: string): Promise<void> {
    await openSpanNode(await this.#connect(), spanId, this.#places, await this.#parts.nodes());
  }

  /**
   * The target to run again in order to debug the trace.
   * @throws Error when no open folder serves its graph
   */
  async findDebugTarget(): Promise<RunTarget> {
    return findDebugTargetOfTrace(await this.#connect(), this.traceId, this.#places);
  }

  /** Stops using the panel, so that it can show another trace. @returns the panel */
  release(): vscode.WebviewPanel {
    this.#closing.dispose();
    this.#follower.dispose();
    this.#host.dispose();
    return this.#panel;
  }

  /** Shows the panel, at a span when one is named. */
  reveal(spanId: string | undefined): void {
    this.#panel.reveal();
    if (spanId !== undefined) this.#host.send([{ type: 'select', run_id: spanId }]);
  }

  async #ready(): Promise<TraceHead> {
    await this.#follower.play((events) => this.#host.send(events));
    return {
      project: await this.#project(),
      feedback_keys: vscode.workspace.getConfiguration('agentHarbor').get<string[]>('feedbackKeys', []),
    };
  }

  async #project(): Promise<string> {
    const { sessionId } = this.#follower;
    if (sessionId === undefined) return '';
    const { tracing } = await this.#connect();
    return (await tracing.sessions.get({ params: { session_id: sessionId } })).name;
  }

  #fail(error: unknown): void {
    this.#parts.errors.log(error, 'trace panel, read the trace');
    this.#host.send([{ type: 'failed', message: sentenceOf(error) }]);
  }

  async #giveFeedback(given: FeedbackByPerson): Promise<void> {
    const { tracing } = await this.#connect();
    const { run_id, key, score, comment, correction } = given;
    if (given.replaces !== undefined) {
      const params = { feedback_id: given.replaces };
      await tracing.feedback.update({ params, body: replacement(given) });
      this.#host.send([{ type: 'changed' }]);
      return;
    }
    await tracing.feedback.create({
      body: {
        run_id,
        trace_id: this.traceId,
        ...(this.#follower.sessionId && { session_id: this.#follower.sessionId }),
        key,
        ...(score !== undefined && { score }),
        ...(comment !== undefined && { comment }),
        ...(correction !== undefined && { correction }),
        feedback_source: { type: 'app', metadata: panelMetadata },
      },
    });
    this.#host.send([{ type: 'changed' }]);
  }

  async #openThread(origin: SpanOrigin): Promise<void> {
    const opened = await this.#places.findThread(origin);
    const assistantId = origin.assistant ?? origin.graph;
    if (opened === undefined || origin.thread === undefined || assistantId === undefined)
      throw new Error(vscode.l10n.t('The thread of this trace no longer exists.'));
    await this.#parts.openRunPanel({
      deployment: opened.key,
      assistantId,
      name: origin.graph ?? assistantId,
      threadId: origin.thread,
    });
  }

  async #openSource(origin: SpanOrigin): Promise<void> {
    const place = await this.#places.findSource(origin);
    if (place === undefined) throw new Error(vscode.l10n.t('The source of this node is unknown.'));
    await showSource(place.location);
  }
}
