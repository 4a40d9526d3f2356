import * as vscode from 'vscode';
import type { RunTarget } from '../deployments/run-target.ts';
import { OpenedFiles } from '../documents/opened-files.ts';
import type { ExperimentsPanels } from '../panels/experiments/experiments-panels.ts';
import type { RunPanels } from '../panels/run/run-panels.ts';
import type { RunFileEditors } from '../panels/run-file/run-file-editors.ts';
import type { TracePanels, TraceTarget } from '../panels/trace/trace-panels.ts';
import type { ExperimentToRepeat } from '../testing/run-again.ts';
import { once } from './once.ts';
import type { Services } from './services.ts';

/** The panels, as commands and other panels open them. All but `openRunPanel` are loaded on first use. */
export interface Panels {
  /** Opens a run panel, or shows the one that is open. */
  readonly openRunPanel: (target: RunTarget) => Promise<void>;
  /** The run panels, loaded with the first one. */
  readonly panels: () => Promise<RunPanels>;
  readonly tracePanels: () => Promise<TracePanels>;
  readonly experimentsPanels: () => Promise<ExperimentsPanels>;
  readonly runFiles: () => Promise<RunFileEditors>;
}

/** Registers the panels, including those that VS Code restores after a reload. */
export function offerPanels(context: vscode.ExtensionContext, services: Services): Panels {
  const { extensionUri, subscriptions } = context;
  const { connections, deployments, debugging, documents, errors, nodes, setup } = services;
  const files = new OpenedFiles(subscriptions);
  const parts = { extensionUri, connections, deployments, debugging, documents, files, errors, nodes };
  const panels = once(async () => {
    const { RunPanels } = await import('../panels/run/run-panels.ts');
    return new RunPanels(parts);
  });
  const openRunPanel = async (target: RunTarget) => {
    setup.finish(target.deployment);
    (await panels()).open(target);
  };
  const tracePanels = once(async () => {
    const { TracePanels } = await import('../panels/trace/trace-panels.ts');
    return new TracePanels({ ...parts, openRunPanel });
  });
  const experimentsPanels = once(async () => {
    const { ExperimentsPanels } = await import('../panels/experiments/experiments-panels.ts');
    const openTrace = async (target: TraceTarget) => (await tracePanels()).open(target);
    const runAgain = async (experiment: ExperimentToRepeat, signal: AbortSignal) => {
      const { runAgain: run } = await import('../testing/run-again.ts');
      return run(services.folderDeployments, experiment, signal);
    };
    return new ExperimentsPanels({ ...parts, openTrace, runAgain });
  });
  const runFiles = once(async () => {
    const { RunFileEditors } = await import('../panels/run-file/run-file-editors.ts');
    return new RunFileEditors(parts);
  });
  subscriptions.push(
    vscode.window.registerCustomEditorProvider(
      'agentHarbor.runFile',
      {
        openCustomDocument: (uri) => ({ uri, dispose() {} }),
        resolveCustomEditor: async ({ uri }, panel) => {
          (await runFiles()).show(panel, uri);
        },
      },
      { supportsMultipleEditorsPerDocument: true },
    ),
    vscode.window.registerWebviewPanelSerializer('agentHarbor.run', {
      deserializeWebviewPanel: async (panel, state) => (await panels()).deserializeWebviewPanel(panel, state),
    }),
    vscode.window.registerWebviewPanelSerializer('agentHarbor.trace', {
      deserializeWebviewPanel: async (panel, state) =>
        (await tracePanels()).deserializeWebviewPanel(panel, state),
    }),
    vscode.window.registerWebviewPanelSerializer('agentHarbor.experiments', {
      deserializeWebviewPanel: async (panel, state) =>
        (await experimentsPanels()).deserializeWebviewPanel(panel, state),
    }),
  );
  return { openRunPanel, panels, tracePanels, experimentsPanels, runFiles };
}
