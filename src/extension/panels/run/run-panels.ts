import * as vscode from 'vscode';
import type { SourceLocation } from '../../../contract/harbor.ts';
import { placeOf } from '../../deployments/deployment-key.ts';
import type { RunTarget } from '../../deployments/run-target.ts';
import { GraphSources } from '../../graphs/graph-sources.ts';
import { showSourceUnlessVisible } from '../beside-source.ts';
import { RunPanelState } from './messages.ts';
import { RunPanel, type RunPanelParts } from './run-panel.ts';

/** As in `activation/panels.ts` and package.json. */
const RUN_PANEL_TYPE = 'agentHarbor.run';

/** The open run panels: created, found by their thread, and restored after a reload or a restart. */
export class RunPanels implements vscode.WebviewPanelSerializer {
  readonly #parts: RunPanelParts;
  readonly #panels = new Set<RunPanel>();

  constructor(parts: RunPanelParts) {
    this.#parts = parts;
  }

  /** Shows the panel of a thread, or a new one. */
  open(target: RunTarget): RunPanel {
    const existing = this.#find(target);
    if (existing !== undefined) {
      existing.reveal();
      return existing;
    }
    return this.#create(target);
  }

  /**
   * Shows the thread of the active panel in a second panel beside it. VS Code's *Split Editor* would open an
   * empty group.
   */
  split(): void {
    const { active } = this;
    if (active !== undefined) this.#create({ ...active.target, viewColumn: vscode.ViewColumn.Beside });
  }

  #create(target: RunTarget): RunPanel {
    const { deployment, assistantId, name, threadId, input, draft = '', viewColumn } = target;
    const panel = vscode.window.createWebviewPanel(
      RUN_PANEL_TYPE,
      name,
      viewColumn ?? vscode.ViewColumn.Active,
      {
        enableFindWidget: true,
      },
    );
    return this.#add(
      panel,
      RunPanelState.parse({
        version: 1,
        target: {
          deployment,
          assistant_id: assistantId,
          ...(threadId === undefined ? {} : { thread_id: threadId }),
        },
        draft: input === undefined ? draft : JSON.stringify(input, undefined, 2),
        ...(input !== undefined && { mode: 'json' }),
      }),
    );
  }

  /** Opens the panel beside a source, so that it stays visible when a debugger shows where it stops. */
  async openBesideSource(target: RunTarget): Promise<void> {
    const existing = this.#find(target);
    if (existing !== undefined) {
      existing.reveal();
      return existing.keepBesideSource();
    }
    // The source comes first, because moving the panel later would load it again. The panel itself reports
    // problems of the deployment.
    await showSourceUnlessVisible(() => this.#findSource(target).catch(() => undefined));
    const isSourceActive = vscode.window.activeTextEditor?.viewColumn !== undefined;
    this.open({ ...target, ...(isSourceActive && { viewColumn: vscode.ViewColumn.Beside }) });
  }

  /** Shows the panel of a thread, and runs its graph from a checkpoint. */
  async runFrom(target: RunTarget, checkpointId: string): Promise<void> {
    await this.open(target).runFrom(checkpointId);
  }

  /** Moves the panel of a deployment beside the active source, if both are in the same editor group. */
  async keepBesideSource(deployment: string): Promise<void> {
    const column = vscode.window.activeTextEditor?.viewColumn;
    const [panel] = [...this.#panels].filter(
      (one) => one.deployment === deployment && one.viewColumn === column,
    );
    await panel?.keepBesideSource();
  }

  /** The active editor, if it is a run panel. */
  get active(): RunPanel | undefined {
    return [...this.#panels].find(({ isActive }) => isActive);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const read = RunPanelState.safeParse(state);
    // A panel is closed if its state is not valid, for example after an update, or if its folder is not
    // trusted.
    const isRestored =
      read.success && (vscode.workspace.isTrusted || placeOf(read.data.target.deployment).in === 'platform');
    if (isRestored) this.#add(panel, read.data);
    else panel.dispose();
  }

  /** The panel that already shows the target. A given draft or input always needs a new panel. */
  #find({ deployment, assistantId, threadId, input, draft = '' }: RunTarget): RunPanel | undefined {
    if (draft !== '' || input !== undefined) return undefined;
    const fitting = [...this.#panels].filter(
      (panel) =>
        panel.deployment === deployment && panel.threadId === threadId && panel.assistantId === assistantId,
    );
    return fitting.find(({ isActive }) => isActive) ?? fitting[0];
  }

  /** The source of an assistant's graph; `undefined` if it is not known. */
  async #findSource({ deployment, assistantId }: RunTarget): Promise<SourceLocation | undefined> {
    const { client, live } = await this.#parts.deployments.open(deployment);
    if (live === undefined) return undefined;
    const { graph_id } = await client.assistants.get({ params: { assistant_id: assistantId } });
    return new GraphSources().find(live, graph_id, undefined, async () => client);
  }

  #add(panel: vscode.WebviewPanel, state: RunPanelState): RunPanel {
    const runPanel = new RunPanel(panel, state, this.#parts);
    this.#panels.add(runPanel);
    panel.onDidDispose(() => this.#panels.delete(runPanel));
    return runPanel;
  }
}
