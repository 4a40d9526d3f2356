import * as vscode from 'vscode';
import type { Connections } from '../../connections/connections.ts';
import type { Debugger } from '../../debug/debugger.ts';
import type { Config } from '../../deployments/configs.ts';
import { placeOf } from '../../deployments/deployment-key.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import type { RunTarget } from '../../deployments/run-target.ts';
import { ActionableError } from '../../dialogs/errors.ts';
import type { RunPanels } from '../../panels/run/run-panels.ts';
import type { TracePanels } from '../../panels/trace/trace-panels.ts';
import { SpanElement, TraceElement } from '../../views/traces.ts';
import type { Command } from '../command.ts';
import { findTarget } from './run.ts';

interface DebugParts {
  readonly connections: Connections;
  readonly deployments: Deployments;
  readonly debugging: Debugger;
  readonly panels: () => Promise<RunPanels>;
  readonly tracePanels: () => Promise<TracePanels>;
}

/**
 * The argument that F5 passes. With it, the command starts VS Code's own debugging if the active source is
 * in no project.
 */
const FROM_SOURCE = 'source';

/**
 * Attaches VS Code's debugger to the graphs of a folder. Called on a graph, an assistant, a thread or a
 * trace, it also opens the run panel; else the graphs are those of the active panel or editor.
 */
export const debug: Command<DebugParts> = async (parts, argument) => {
  const { debugging, deployments } = parts;
  if (argument === FROM_SOURCE && (await debugging.findConfigOfSource()) === undefined) {
    await vscode.commands.executeCommand('workbench.action.debug.start');
    return;
  }
  const target = await findDebugTarget(parts, argument);
  const config = target === undefined ? await debugging.findConfigInFront() : await findConfig(parts, target);
  // `open` throws an error that says what is missing, or that the folder is not trusted.
  const opened = await deployments.folders.open(config);
  const panels = await parts.panels();
  if (target === undefined) await panels.keepBesideSource(opened.config.uri.fsPath);
  else {
    await deployments.makeCurrent(target.deployment);
    await panels.openBesideSource(target);
  }
  await debugging.attach(opened.config);
};

/** @throws ActionableError for a graph on a platform, which a debugger cannot reach */
async function findConfig({ deployments }: DebugParts, target: RunTarget): Promise<Config | undefined> {
  const place = placeOf(target.deployment);
  if (place.in === 'folder') return deployments.folders.find(place.configPath);
  throw new ActionableError(
    vscode.l10n.t(
      'Only graphs in the open folder can be debugged. To step through this graph, run it and use Step to stop after each superstep.',
    ),
    [{ title: vscode.l10n.t('Run'), command: 'agentHarbor.run', arguments: [target] }],
  );
}

async function findDebugTarget(parts: DebugParts, argument: unknown): Promise<RunTarget | undefined> {
  if (argument instanceof TraceElement || argument instanceof SpanElement) {
    const { findDebugTargetOfTrace } = await import('../../debug/debug-target.ts');
    const { SpanPlaces } = await import('../../traces/span-places.ts');
    const places = new SpanPlaces(parts.deployments, parts.connections.local);
    return findDebugTargetOfTrace(argument.client, argument.runId, places);
  }
  if (argument !== undefined && argument !== FROM_SOURCE && !isPanel(argument))
    return findTarget(parts, argument);
  const { activeTab } = vscode.window.tabGroups.activeTabGroup;
  const panel = activeTab?.input instanceof vscode.TabInputWebview ? activeTab.input.viewType : '';
  if (panel.endsWith('agentHarbor.run')) return (await parts.panels()).active?.target;
  if (panel.endsWith('agentHarbor.trace')) return (await parts.tracePanels()).active?.findDebugTarget();
  return undefined;
}

/** Whether the command was called from the title of a panel; VS Code does not say which one. */
function isPanel(argument: unknown): boolean {
  return argument instanceof vscode.Uri && argument.scheme === 'webview-panel';
}
