import path from 'node:path';
import * as vscode from 'vscode';
import type { RuntimeState } from '../../../contract/harbor.ts';
import { assistantOf } from '../../../terms/thread-assistant.ts';
import { listAssistantItems } from '../../assistants/assistant-items.ts';
import type { Debugger } from '../../debug/debugger.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import { firstGraphError } from '../../deployments/graph-error.ts';
import type { OpenDeployment } from '../../deployments/open-deployment.ts';
import { isRunTarget, type RunTarget } from '../../deployments/run-target.ts';
import { ActionableError } from '../../dialogs/errors.ts';
import type { RunPanels } from '../../panels/run/run-panels.ts';
import { lackingProgram, type PackageInstaller } from '../../projects/package-installer.ts';
import type { SetupGuide } from '../../projects/setup-guide.ts';
import { AssistantElement, AssistantGroup } from '../../views/assistants.ts';
import { GraphElement } from '../../views/deployments.ts';
import { SetupStepElement } from '../../views/setup-steps.ts';
import { ThreadElement } from '../../views/threads.ts';
import { isRunGraph } from '../arguments/is-run-graph.ts';
import { keyOf } from '../arguments/key-of.ts';
import type { Command } from '../command.ts';

interface FindTargetParts {
  readonly deployments: Deployments;
}

export interface RunParts extends FindTargetParts {
  readonly packageInstaller: PackageInstaller;
  readonly debugging: Debugger;
  readonly setup: SetupGuide;
  readonly panels: () => Promise<RunPanels>;
}

/**
 * Prepares an opened deployment before one of its assistants is chosen. If it returns undefined, the command
 * ends.
 */
type Prepare = (opened: OpenDeployment) => Promise<OpenDeployment | undefined>;

/**
 * Opens the run panel for a graph, an assistant or a thread; asks for the assistant if called without one. A
 * project that cannot be run yet is prepared first.
 */
export const run: Command<RunParts> = async (parts, argument) => {
  const target = await findTarget(parts, argument, async (opened) => {
    const { folders } = parts.deployments;
    // Only deployments of open folders are prepared.
    const config = opened.live === undefined ? undefined : await folders.find(opened.key);
    if (config === undefined) return opened;
    const { makeRunnable } = await import('../../projects/make-runnable.ts');
    return makeRunnable({ ...parts, folders }, { config });
  });
  if (target === undefined) return;
  await parts.deployments.makeCurrent(target.deployment);
  parts.setup.finish(target.deployment);
  const panels = await parts.panels();
  if (parts.debugging.isAttached(target.deployment)) await panels.openBesideSource(target);
  else panels.open(target);
};

/**
 * Finds the assistant and thread to run that a row, a lens, a button or a key binding names. Asks for an
 * assistant if it names none; undefined when canceled.
 */
export async function findTarget(
  parts: FindTargetParts,
  argument: unknown,
  prepare?: Prepare,
): Promise<RunTarget | undefined> {
  if (argument instanceof GraphElement) {
    const { graph_id } = argument.graph;
    return { deployment: argument.config.uri.fsPath, assistantId: graph_id, name: graph_id };
  }
  if (argument instanceof SetupStepElement) return askForTarget(parts, argument.config.uri.fsPath, prepare);
  if (argument instanceof AssistantElement) {
    const { assistant_id, graph_id, name } = argument.assistant;
    return { deployment: argument.deployment, assistantId: assistant_id, name: name ?? graph_id };
  }
  if (argument instanceof AssistantGroup) {
    const { deployment, graphId } = argument;
    return { deployment, assistantId: graphId, name: graphId };
  }
  if (isRunGraph(argument)) {
    const { config_path: deployment, graph_id } = argument;
    return { deployment, assistantId: graph_id, name: graph_id };
  }
  if (isRunTarget(argument)) return argument;
  if (argument instanceof ThreadElement) return findTargetOfThread(argument);
  if (typeof argument === 'string') return askForTarget(parts, argument, prepare);
  return askForTarget(parts, argument instanceof vscode.Uri ? argument.fsPath : keyOf(argument), prepare);
}

/**
 * Asks which assistant of a deployment to run; undefined when canceled.
 * @param deployment the key; by default the current deployment
 */
export async function askForTarget(
  parts: FindTargetParts,
  deployment?: string,
  prepare: Prepare = async (opened) => opened,
): Promise<RunTarget | undefined> {
  const opened = await prepare(await openWithProgress(parts, deployment));
  return opened && pickAssistant(opened);
}

async function findTargetOfThread({ thread, opened, label }: ThreadElement): Promise<RunTarget | undefined> {
  // A thread on which nothing has run yet belongs to no assistant.
  const assistantId = assistantOf(thread) ?? (await pickAssistant(opened))?.assistantId;
  if (assistantId === undefined) return undefined;
  return { deployment: opened.key, assistantId, name: label, threadId: thread.thread_id };
}

function openWithProgress(
  { deployments }: FindTargetParts,
  deployment: string | undefined,
): Thenable<OpenDeployment> {
  const title = vscode.l10n.t('Agent Harbor: Loading agents…');
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
    deployments.open(deployment),
  );
}

/**
 * Asks which assistant to run, of those whose graphs have loaded; takes the only one without asking.
 * @returns undefined when canceled
 * @throws Error if there is none
 */
async function pickAssistant({ client, key, live }: OpenDeployment): Promise<RunTarget | undefined> {
  const loaded = live && loadedGraphs(live.runtime, key);
  const found = await listAssistantItems(client);
  const items = found.filter(({ graphId }) => loaded === undefined || loaded.has(graphId));
  if (items.length === 0) throw new Error(vscode.l10n.t('This deployment has no graphs to run.'));
  const only = items.length === 1 ? items[0] : undefined;
  const title = vscode.l10n.t('Select an assistant to run');
  const chosen = only ?? (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }));
  if (chosen === undefined) return undefined;
  return { deployment: key, assistantId: chosen.assistantId, name: chosen.label };
}

/** The IDs of the graphs that have loaded. @throws Error that says why none has */
function loadedGraphs(runtime: RuntimeState, configPath: string): ReadonlySet<string> {
  const graphs = runtime.state === 'ready' ? runtime.graphs : [];
  const loaded = graphs.filter(({ status }) => status === 'loaded').map(({ graph_id }) => graph_id);
  if (loaded.length === 0) throw notLoaded(runtime, configPath);
  return new Set(loaded);
}

/** The error when nothing can be run, with the reason and what to do. */
function notLoaded(runtime: RuntimeState, configPath: string): Error {
  // Paths are shown relative to the project.
  const reason = noGraphReason(runtime).replaceAll(`${path.dirname(configPath)}${path.sep}`, '');
  if (lackingProgram(runtime)?.install === undefined) return new Error(reason);
  return new ActionableError(vscode.l10n.t('Dependencies are not installed.'), [
    {
      title: vscode.l10n.t('Install Dependencies'),
      command: 'agentHarbor.installPackages',
      arguments: [configPath],
    },
  ]);
}

function noGraphReason(runtime: RuntimeState): string {
  if (runtime.state === 'failed') return runtime.message;
  return firstGraphError(runtime) ?? vscode.l10n.t('This deployment has no graphs to run.');
}
