import * as vscode from 'vscode';
import { TracePanelState } from './messages.ts';
import { TracePanel, type TracePanelParts } from './trace-panel.ts';

/** As in `activation/panels.ts` and package.json. */
const TRACE_PANEL_TYPE = 'agentHarbor.trace';

/** The trace, and optionally the span, to open a panel for. */
export interface TraceTarget {
  /** The ID of the connection whose platform has the trace. */
  readonly connection: string;
  readonly traceId: string;
  readonly name: string;
  /** The span to select; by default the one that failed, or the root. */
  readonly spanId?: string | undefined;
}

/** Opening the same trace twice within this time is a double click. */
const DOUBLE_CLICK_MS = 500;
/** Longer names are cut in the title of a tab. */
const MAX_TITLE_LENGTH = 40;

/**
 * The open trace panels, restored after a reload or a restart. As with files, one of them is reused for the
 * next trace, until a double click or *Keep Open* keeps it.
 */
export class TracePanels implements vscode.WebviewPanelSerializer {
  readonly #parts: TracePanelParts;
  /**
   * Each open panel with its listeners. They end when the panel is closed or reused, because they would keep
   * its spans in memory.
   */
  readonly #panels = new Map<TracePanel, vscode.Disposable>();
  /** The panel that is reused for the next trace. */
  #preview: { readonly panel: TracePanel; readonly openedAt: number } | undefined;

  constructor(parts: TracePanelParts) {
    this.#parts = parts;
  }

  /** Shows a trace in the panel that has it, or else in the reused one. */
  open({ connection, traceId, name, spanId }: TraceTarget): void {
    const existing = [...this.#panels.keys()].find(
      (panel) => panel.traceId === traceId && panel.connection === connection,
    );
    if (existing !== undefined) {
      const preview = this.#preview;
      if (preview?.panel === existing && performance.now() - preview.openedAt < DOUBLE_CLICK_MS)
        this.#keep(existing);
      existing.reveal(spanId);
      return;
    }
    const title = vscode.l10n.t(
      'Trace: {0}',
      name.length > MAX_TITLE_LENGTH ? `${name.slice(0, MAX_TITLE_LENGTH)}…` : name,
    );
    const state = TracePanelState.parse({
      version: 1,
      connection,
      trace_id: traceId,
      ...(spanId === undefined ? {} : { selected: spanId }),
    });
    const panel = this.#reuse(title) ?? newPanel(title);
    this.#preview = { panel: this.#add(panel, state), openedAt: performance.now() };
    this.#setContext();
  }

  /** The active editor, if it is a trace panel. */
  get active(): TracePanel | undefined {
    return [...this.#panels.keys()].find(({ isActive }) => isActive);
  }

  /** Keeps the active panel, so that the next trace opens in another one. */
  keepActive(): void {
    if (this.#preview?.panel.isActive) this.#keep(this.#preview.panel);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const read = TracePanelState.safeParse(state);
    // A panel whose state is not valid, for example after an update, is closed.
    if (read.success) this.#add(panel, read.data);
    else panel.dispose();
  }

  #reuse(title: string): vscode.WebviewPanel | undefined {
    const before = this.#preview?.panel;
    if (before === undefined) return undefined;
    this.#forget(before);
    const panel = before.release();
    panel.title = title;
    panel.reveal();
    return panel;
  }

  #keep(panel: TracePanel): void {
    if (this.#preview?.panel === panel) this.#preview = undefined;
    this.#setContext();
  }

  #add(panel: vscode.WebviewPanel, state: TracePanelState): TracePanel {
    const tracePanel = new TracePanel(panel, state, this.#parts);
    const listeners = vscode.Disposable.from(
      panel.onDidDispose(() => {
        this.#forget(tracePanel);
        this.#keep(tracePanel);
      }),
      panel.onDidChangeViewState(() => this.#setContext()),
    );
    this.#panels.set(tracePanel, listeners);
    return tracePanel;
  }

  #forget(panel: TracePanel): void {
    this.#panels.get(panel)?.dispose();
    this.#panels.delete(panel);
  }

  /** Sets the context key `agentHarbor.tracePreview`: whether the reusable panel is active. */
  #setContext(): void {
    const isPreview = this.#preview?.panel.isActive ?? false;
    void vscode.commands.executeCommand('setContext', 'agentHarbor.tracePreview', isPreview);
  }
}

function newPanel(title: string): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(TRACE_PANEL_TYPE, title, vscode.ViewColumn.Active, {
    // Ctrl+F opens the panel's own search, which includes rows outside the view.
    enableFindWidget: false,
  });
}
