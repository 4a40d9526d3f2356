import * as vscode from 'vscode';
import { TracePanelState } from './messages.ts';
import { TracePanel, type TracePanelParts } from './trace-panel.ts';

export const tracePanelType = 'agentHarbor.trace';

/** What a trace panel is opened for. */
export interface TraceTarget {
  /** The id of the connection whose platform has it. */
  readonly connection: string;
  readonly traceId: string;
  readonly name: string;
  /** The span to select; without one the panel begins with what failed, or at the root. */
  readonly spanId?: string | undefined;
}

/** The open trace panels, one a trace, brought back after a reload or a restart. */
export class TracePanels implements vscode.WebviewPanelSerializer {
  readonly #parts: TracePanelParts;
  readonly #panels = new Set<TracePanel>();

  constructor(parts: TracePanelParts) {
    this.#parts = parts;
  }

  /** Shows the panel of a trace. */
  open({ connection, traceId, name, spanId }: TraceTarget): void {
    const existing = [...this.#panels].find(
      (panel) => panel.traceId === traceId && panel.connection === connection,
    );
    if (existing !== undefined) {
      existing.reveal(spanId);
      return;
    }
    const title = vscode.l10n.t('Trace: {0}', name);
    const panel = vscode.window.createWebviewPanel(tracePanelType, title, vscode.ViewColumn.Active, {
      // Ctrl+F goes to the panel's own search, which knows rows that are out of sight.
      enableFindWidget: false,
    });
    this.#add(
      panel,
      TracePanelState.parse({
        version: 1,
        connection,
        trace_id: traceId,
        ...(spanId === undefined ? {} : { selected: spanId }),
      }),
    );
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const read = TracePanelState.safeParse(state);
    // Of another version, or of nobody: a panel that cannot say what it was for is of no use.
    if (read.success) this.#add(panel, read.data);
    else panel.dispose();
  }

  #add(panel: vscode.WebviewPanel, state: TracePanelState): void {
    const tracePanel = new TracePanel(panel, state, this.#parts);
    this.#panels.add(tracePanel);
    panel.onDidDispose(() => this.#panels.delete(tracePanel));
  }
}
