import * as vscode from 'vscode';
import { readErrorStack } from '../../../client/read-error-stack.ts';
import type { Change, SourceLocation } from '../../../contract/harbor.ts';
import type { Connections } from '../../connections/connections.ts';
import type { Debugger } from '../../debug/debugger.ts';
import { placeOf } from '../../deployments/deployment-key.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import { deploymentLabel } from '../../deployments/open-deployment.ts';
import type { RunTarget } from '../../deployments/run-target.ts';
import type { ErrorReporter } from '../../dialogs/errors.ts';
import type { OpenedFiles } from '../../documents/opened-files.ts';
import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';
import { GraphSources } from '../../graphs/graph-sources.ts';
import { showFrame, showSource } from '../../graphs/show-source.ts';
import type { NodeRunner } from '../../nodes/node-runner.ts';
import { STATE_SCHEME, stateAddressOf } from '../../states/state-address.ts';
import { keepBesideSource } from '../beside-source.ts';
import { panelIcon } from '../panel-icon.ts';
import { type RequestHandlers, WebviewHost } from '../webview-host.ts';
import type { PanelKey } from '../webview-rpc.ts';
import { problemOf, problemOfLog } from './breakpoint-expressions.ts';
import { chooseFiles } from './choose-files.ts';
import { FeedbackLinks } from './feedback-links.ts';
import { Journal } from './journal.ts';
import type { JournalEntry } from './journal-entry.ts';
import { type RunOptions, type RunPanelState, runPanelRequests, type Session } from './messages.ts';
import { Pauses } from './pauses.ts';
import { pickAssistant, pickThread } from './pickers.ts';
import { RunSession } from './run-session.ts';
import { StateActions } from './state-actions.ts';
import { visitPage } from './visit-page.ts';

export interface RunPanelParts {
  readonly extensionUri: vscode.Uri;
  readonly connections: Connections;
  readonly deployments: Deployments;
  readonly debugging: Debugger;
  readonly documents: ReadOnlyDocuments;
  readonly files: OpenedFiles;
  readonly errors: ErrorReporter;
  /** The runner of single nodes, loaded when it is first needed. */
  readonly nodes: () => Promise<NodeRunner>;
}

/** The run panel: an assistant, a thread, and what its runs stream. */
export class RunPanel {
  readonly #panel: vscode.WebviewPanel;
  readonly #parts: RunPanelParts;
  readonly #state: RunPanelState;
  readonly #journal = new Journal();
  readonly #feedback: FeedbackLinks;
  readonly #session: RunSession;
  readonly #sources = new GraphSources();
  readonly #host: WebviewHost<JournalEntry, typeof runPanelRequests>;
  /**
   * Whether the graph had not loaded when the session was read. The input is then JSON, and there is no
   * diagram.
   */
  #lacksGraph = false;

  constructor(panel: vscode.WebviewPanel, state: RunPanelState, parts: RunPanelParts) {
    this.#panel = panel;
    this.#state = state;
    this.#parts = parts;
    const { extensionUri, errors } = parts;
    panel.iconPath = panelIcon(extensionUri);
    this.#feedback = new FeedbackLinks(async () => (await this.#open()).client);
    const pauses = new Pauses(parts.deployments.folders, state.target.deployment, this.#journal);
    this.#session = this.#makeSession(pauses);
    const refreshing = this.#refreshOnChange();
    panel.onDidDispose(() => {
      this.#session.dispose();
      pauses.dispose();
      refreshing.dispose();
    });
    this.#host = new WebviewHost({
      panel,
      extensionUri,
      bundle: 'run',
      data: { state: JSON.stringify(state) },
      schemas: runPanelRequests,
      errors,
      handlers: this.#handlers(),
    });
  }

  get threadId(): string | undefined {
    return this.#session.thread.threadId;
  }

  get deployment(): string {
    return this.#state.target.deployment;
  }

  get assistantId(): string {
    return this.#session.assistantId;
  }

  /** The target with which the panel can be opened again. */
  get target(): RunTarget {
    const { deployment, assistantId, threadId } = this;
    return { deployment, assistantId, name: this.#panel.title, threadId };
  }

  get viewColumn(): vscode.ViewColumn | undefined {
    return this.#panel.viewColumn;
  }

  get isActive(): boolean {
    return this.#panel.active;
  }

  /** Handles a VS Code key binding in the panel. */
  press(key: PanelKey): void {
    this.#host.press(key);
  }

  reveal(): void {
    this.#panel.reveal();
  }

  /** Puts the panel beside a source, so that it stays visible when a debugger stops. */
  keepBesideSource(): Promise<void> {
    return keepBesideSource(this.#panel, () => this.#findSource(undefined));
  }

  /** Runs the graph from a checkpoint of the thread, with the current code. */
  async runFrom(checkpointId: string): Promise<void> {
    await this.#session.open();
    await this.#session.thread.checkout(checkpointId);
    await this.#session.start({ proceed: true }, this.#state.options);
  }

  #makeSession(pauses: Pauses): RunSession {
    const { target } = this.#state;
    return new RunSession({
      assistantId: target.assistant_id,
      threadId: target.thread_id,
      journal: this.#journal,
      feedback: this.#feedback,
      feedbackKeys: () => this.#settings().get<string[]>('feedbackKeys', []),
      maxCost: () => maxCostIn(this.#settings()),
      deployment: async () => {
        const opened = await this.#open();
        const { client, name, isProduction = false } = opened;
        return {
          client,
          name,
          place: deploymentLabel(opened),
          isProduction,
          isLive: opened.live !== undefined,
        };
      },
      writeLog: (line) => this.#writeLog(line),
      clock: pauses,
      onSchemas: () => this.#host.send([{ type: 'session-changed' }]),
      onError: (error) => this.#parts.errors.log(error, 'run panel, follow the run'),
    });
  }

  /** Refreshes the thread when it may have changed elsewhere. */
  #refreshOnChange(): vscode.Disposable {
    const panel = this.#panel;
    const session = this.#session;
    const { thread } = session;
    const refresh = (): void => {
      thread.refresh();
      session.refreshQueue();
    };
    return vscode.Disposable.from(
      // A platform that does not announce changes is asked when the panel becomes visible.
      panel.onDidChangeViewState(() => panel.visible && refresh()),
      this.#parts.deployments.onDidChange(() => this.#announceGraph()),
      this.#parts.connections.onDidAnnounce(({ changes }) => {
        if (panel.visible && changes.some((change) => this.#isAboutThread(change))) refresh();
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.scheme === STATE_SCHEME && stateAddressOf(uri).threadId === this.threadId) thread.refresh();
      }),
    );
  }

  /** The handlers of the webview's requests. */
  #handlers(): RequestHandlers<typeof runPanelRequests> {
    const session = this.#session;
    const { thread } = session;
    const { debugging, documents, files, nodes } = this.#parts;
    const states = new StateActions(thread, {
      deployment: this.deployment,
      documents,
      nodes,
      client: async () => (await this.#open()).client,
    });
    return {
      ready: () => this.#ready(),
      session: () => this.#readSession(),
      start: ({ input, options }) => session.start({ input }, options),
      resume: ({ resume, options }) => session.start({ resume }, options),
      proceed: ({ options }) => session.start({ proceed: true }, options),
      stepInto: ({ options }) => this.#stepInto(options),
      cancel: async () => {
        await session.cancel();
        await debugging.resume(this.deployment);
      },
      editQueued: ({ run_id, input }) => session.queue.edit(run_id, input),
      moveQueued: ({ run_id, by }) => session.queue.move(run_id, by),
      removeQueued: ({ run_id }) => session.queue.remove(run_id),
      sendQueued: ({ run_id, urgency }) => session.queue.sendNow(run_id, urgency),
      newThread: () => thread.leave(),
      chooseAssistant: () => this.#chooseAssistant(),
      chooseThread: () => this.#chooseThread(),
      history: () => thread.readHistory(),
      checkout: ({ checkpoint_id }) => thread.checkout(checkpoint_id),
      checkoutBefore: ({ message_id }) => thread.checkoutBefore(message_id),
      stateToEdit: ({ checkpoint_id }) => states.readToEdit(checkpoint_id),
      updateState: (edit) => thread.update(edit),
      pastSteps: () => session.readPastSteps(),
      subagent: ({ call_id }) => session.readSubagent(call_id),
      nodeDetails: async ({ node }) => (await session.readNodeDetails(node)) ?? {},
      drawUnfolded: () => session.drawUnfolded(),
      checkBreakpoint: async ({ condition, log }) => ({
        condition: condition === undefined ? undefined : problemOf(condition),
        log: log === undefined ? undefined : problemOfLog(log),
      }),
      runNode: (step) => states.runNode(step),
      replayFrom: ({ checkpoint_id }) => states.replayFrom(checkpoint_id),
      compareStates: ({ checkpoint_id }) => states.compare(checkpoint_id),
      valueHistory: ({ key }) => session.readValueHistory(key),
      compareValues: ({ title, before, after }) => documents.compareValues(title, before, after),
      feedback: (given) => this.#feedback.give(given, this.#journal),
      deleteFeedback: (given) => this.#feedback.delete(given, this.#journal),
      showTrace: async ({ run_id }) => {
        await vscode.commands.executeCommand('agentHarbor.showTrace', run_id, this.deployment);
      },
      openState: ({ checkpoint_id }) => states.open(checkpoint_id),
      editStateDocument: ({ checkpoint_id }) => states.edit(checkpoint_id),
      showLog: async () => {
        await vscode.commands.executeCommand('agentHarbor.showLog');
      },
      changeCostCap: async () => {
        await vscode.commands.executeCommand('workbench.action.openSettings', 'agentHarbor.maxCostPerRun');
      },
      openSource: ({ node }) => this.#openSource(node),
      openFrame: showFrame,
      errorStack: async ({ run_id }) => readErrorStack((await this.#open()).client, run_id, session.signal),
      openJson: ({ title, value }) => documents.showValue(title, value),
      openFile: (file) => files.open(file),
      visit: ({ url }) => visitPage(url),
      chooseFiles,
      copy: ({ text }) => vscode.env.clipboard.writeText(text),
    };
  }

  async #ready(): Promise<Session> {
    const session = await this.#session.open();
    this.#panel.title = session.assistant;
    this.#noteGraph(session);
    this.#journal.play((entries) => this.#host.send(entries));
    return session;
  }

  /** Reads the session again, because the graph had not loaded when the panel opened. */
  async #readSession(): Promise<Session> {
    const session = await this.#session.read();
    this.#noteGraph(session);
    return session;
  }

  #noteGraph({ schema }: Session): void {
    this.#lacksGraph = schema === undefined;
  }

  /** Makes the webview read the session again once the graph has loaded. */
  #announceGraph(): void {
    const live = this.#parts.deployments.folders.liveOf(this.deployment);
    if (!this.#lacksGraph || live?.runtime.state !== 'ready') return;
    this.#lacksGraph = false;
    this.#host.send([{ type: 'session-changed' }]);
  }

  /** Continues, with a debugger that stops at the first line of the next nodes. */
  async #stepInto(options: RunOptions): Promise<void> {
    const { folders } = this.#parts.deployments;
    const [{ client, live }, { graph_id }, { next }] = await Promise.all([
      this.#open(),
      this.#session.open(),
      this.#session.thread.readState(),
    ]);
    const config = await folders.find(this.deployment);
    const found = await Promise.all(
      next.map((node) => live && this.#sources.find(live, graph_id, node, async () => client)),
    );
    const places = found.filter((place) => place !== undefined);
    if (config === undefined || places.length === 0)
      throw new Error(vscode.l10n.t('The source of {0} is unknown.', next.join(', ')));
    await keepBesideSource(this.#panel, async () => places[0]);
    const stops = await this.#parts.debugging.stopAtEntry(config, places);
    if (stops === undefined) return;
    try {
      await this.#session.start({ proceed: true }, options);
    } catch (error) {
      stops.dispose();
      throw error;
    }
    void this.#session.waitForEnd().then(() => stops.dispose());
  }

  #isAboutThread({ resource, id }: Change): boolean {
    return resource === 'thread' && id === this.threadId;
  }

  async #chooseAssistant(): Promise<Session | undefined> {
    const { client } = await this.#open();
    const { graph_id } = await this.#session.open();
    const chosen = await pickAssistant(client, this.assistantId);
    if (chosen === undefined) return undefined;
    const session = await this.#session.changeAssistant(chosen.assistantId, chosen.graphId === graph_id);
    this.#panel.title = session.assistant;
    this.#noteGraph(session);
    return session;
  }

  async #chooseThread(): Promise<void> {
    const { client } = await this.#open();
    const { graph_id } = await this.#session.open();
    const chosen = await pickThread(client, graph_id, this.threadId);
    if (chosen !== undefined) await this.#session.changeThread(chosen.threadId);
  }

  /** The source of a node, or of the graph if no node is given; `undefined` if it is not known. */
  async #findSource(node: string | undefined): Promise<SourceLocation | undefined> {
    const [{ client, live }, { graph_id }] = await Promise.all([this.#open(), this.#session.open()]);
    return live && this.#sources.find(live, graph_id, node, async () => client);
  }

  async #openSource(node: string): Promise<void> {
    const location = await this.#findSource(node);
    if (location === undefined) throw new Error(vscode.l10n.t('The source of {0} is unknown.', node));
    await showSource(location);
  }

  /** Writes to the log of the deployment, if it is in an open folder; others have no such log. */
  async #writeLog(line: { run_id: string; thread_id: string; message: string }): Promise<void> {
    const { client, live } = await this.#open();
    if (live === undefined) return;
    await client.debugging.writeLog({ params: { deployment_id: live.deployment_id }, body: line });
  }

  #open() {
    return this.#parts.deployments.open(this.deployment);
  }

  #settings(): vscode.WorkspaceConfiguration {
    const place = placeOf(this.deployment);
    const uri = place.in === 'folder' ? vscode.Uri.file(place.configPath) : undefined;
    return vscode.workspace.getConfiguration('agentHarbor', uri);
  }
}

/**
 * The maximum cost of a run in dollars. A setting that is not an amount, which VS Code marks, sets no limit.
 */
function maxCostIn(settings: vscode.WorkspaceConfiguration): number | undefined {
  const cost = settings.get<unknown>('maxCostPerRun');
  return typeof cost === 'number' && cost > 0 ? cost : undefined;
}
