import * as vscode from 'vscode';
import { placeOf } from '../../deployments/deployment-key.ts';
import { RunPanelState } from './messages.ts';
import { RunPanel, type RunPanelParts } from './run-panel.ts';

export const RUN_PANEL_TYPE = 'agentHarbor.run';

/** The reasons to open a run panel. */
export interface RunTarget {
  /** The key of the deployment. */
  readonly deployment: string;
  /** An assistant's id, or a graph's, which means its default assistant. */
  readonly assistantId: string;
  readonly name: string;
  readonly threadId?: string | undefined;
  /** The initial content of the input, ready to be sent; opens a new panel. */
  readonly draft?: string | undefined;
  /** Where a new panel is shown; in the active group of editors without it. */
  readonly viewColumn?: vscode.ViewColumn;
}

/** The open run panels: made, found again by their thread, and brought back after a reload or a restart. */
export class RunPanels implements vscode.WebviewPanelSerializer {
  readonly #parts: RunPanelParts;
  readonly #panels = new Set<RunPanel>();

  constructor(parts: RunPanelParts) {
    this.#parts = parts;
  }

  /** Shows the panel of a thread, or a new one. */
  open({ deployment, assistantId, name, threadId, draft = '', viewColumn }: RunTarget): void {
    const existing = [...this.#panels].find(
      (panel) =>
        panel.deployment === deployment && panel.threadId === threadId && panel.assistantId === assistantId,
    );
    if (existing !== undefined && draft === '') {
      existing.reveal();
      return;
    }
    const panel = vscode.window.createWebviewPanel(
      RUN_PANEL_TYPE,
      name,
      viewColumn ?? vscode.ViewColumn.Active,
      {
        enableFindWidget: true,
      },
    );
    this.#add(
      panel,
      RunPanelState.parse({
        version: 1,
        target: {
          deployment,
          assistant_id: assistantId,
          ...(threadId === undefined ? {} : { thread_id: threadId }),
        },
        draft,
      }),
    );
  }

  /** Shows the panel of a thread, and runs its graph from a checkpoint. */
  async runFrom(target: RunTarget, checkpointId: string): Promise<void> {
    this.open(target);
    const panel = [...this.#panels].find(
      ({ deployment, threadId }) => deployment === target.deployment && threadId === target.threadId,
    );
    await panel?.runFrom(checkpointId);
  }

  /** The panel in front of all editors, if one is. */
  get active(): RunPanel | undefined {
    return [...this.#panels].find(({ isActive }) => isActive);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const read = RunPanelState.safeParse(state);
    // From another version: a panel without valid state is closed.
    const runs =
      read.success && (vscode.workspace.isTrusted || placeOf(read.data.target.deployment).in === 'platform');
    if (runs) this.#add(panel, read.data);
    else panel.dispose();
  }

  #add(panel: vscode.WebviewPanel, state: RunPanelState): void {
    const runPanel = new RunPanel(panel, state, this.#parts);
    this.#panels.add(runPanel);
    panel.onDidDispose(() => this.#panels.delete(runPanel));
  }
}
