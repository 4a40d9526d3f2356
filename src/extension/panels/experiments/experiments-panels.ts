import * as vscode from 'vscode';
import { ExperimentsPanel, type ExperimentsPanelParts } from './experiments-panel.ts';
import { ExperimentsPanelState } from './messages.ts';

/** As in `activation/panels.ts` and package.json. */
const EXPERIMENTS_PANEL_TYPE = 'agentHarbor.experiments';

/** The dataset whose experiments are shown. */
interface ExperimentsTarget {
  /** The ID of the connection whose platform has the dataset. */
  readonly connection: string;
  readonly datasetId: string;
  readonly name: string;
}

/** The open experiments panels, one per dataset, restored after a reload or a restart. */
export class ExperimentsPanels implements vscode.WebviewPanelSerializer {
  readonly #parts: ExperimentsPanelParts;
  readonly #panels = new Set<ExperimentsPanel>();

  constructor(parts: ExperimentsPanelParts) {
    this.#parts = parts;
  }

  open({ connection, datasetId, name }: ExperimentsTarget): void {
    const existing = [...this.#panels].find(
      (panel) => panel.datasetId === datasetId && panel.connection === connection,
    );
    if (existing !== undefined) {
      existing.reveal();
      return;
    }
    const title = vscode.l10n.t('Experiments: {0}', name);
    const panel = vscode.window.createWebviewPanel(EXPERIMENTS_PANEL_TYPE, title, vscode.ViewColumn.Active, {
      // Ctrl+F opens the panel's own search, which includes rows outside the view.
      enableFindWidget: false,
    });
    this.#add(panel, ExperimentsPanelState.parse({ version: 1, connection, dataset_id: datasetId }));
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const read = ExperimentsPanelState.safeParse(state);
    // A panel whose state is not valid, for example after an update, is closed.
    if (read.success) this.#add(panel, read.data);
    else panel.dispose();
  }

  #add(panel: vscode.WebviewPanel, state: ExperimentsPanelState): void {
    const added = new ExperimentsPanel(panel, state, this.#parts);
    this.#panels.add(added);
    panel.onDidDispose(() => this.#panels.delete(added));
  }
}
