import path from 'node:path';
import * as vscode from 'vscode';
import type { FoundGraph } from '../../project/find-graphs.ts';
import { newConfig } from '../../project/new-config.ts';
import { filesOnDisk } from '../../project/project-files.ts';
import { chooseSeveral } from '../dialogs/steps.ts';
import { createFile } from './create-file.ts';

/**
 * Creates a langgraph.json for the graphs that are found in a folder, and opens it. If there are several,
 * asks which to list. An existing file is only opened.
 */
export async function askAndCreateConfig(): Promise<void> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder =
    folders.length > 1
      ? await vscode.window.showWorkspaceFolderPick({
          placeHolder: vscode.l10n.t('Select a folder for langgraph.json'),
        })
      : folders[0];
  if (folder === undefined) return;
  const uri = vscode.Uri.joinPath(folder.uri, 'langgraph.json');
  if ((await filesOnDisk.kind(uri.fsPath)) === undefined) {
    const found = await vscode.window.withProgress(
      { location: { viewId: 'agentHarbor.deployments' } },
      async () => {
        // The module contains parsers of two languages, which activation must not load.
        const { findGraphs } = await import('../../project/find-graphs.ts');
        return findGraphs(filesOnDisk, folder.uri.fsPath);
      },
    );
    if (found.length === 0) return offerExample(folder);
    const graphs = found.length === 1 ? found : await chooseGraphs(found);
    if (graphs.length === 0) return;
    const hasEnv = (await filesOnDisk.kind(path.join(folder.uri.fsPath, '.env'))) === 'file';
    await createFile(uri, new TextEncoder().encode(newConfig(graphs, hasEnv)));
  }
  await vscode.window.showTextDocument(uri);
}

async function chooseGraphs(found: readonly FoundGraph[]): Promise<readonly FoundGraph[]> {
  const answer = await chooseSeveral({
    title: vscode.l10n.t('Create langgraph.json'),
    canGoBack: false,
    placeholder: vscode.l10n.t('Select the graphs to serve'),
    items: found.map((graph) => ({ label: graph.id, description: graph.reference, picked: true, graph })),
  });
  return answer.kind === 'answered' ? answer.value.map(({ graph }) => graph) : [];
}

/** Offers the template instead, because a langgraph.json without a graph is not valid. */
async function offerExample({ name }: vscode.WorkspaceFolder): Promise<void> {
  const example = vscode.l10n.t('Create Agent Project…');
  const documentation = vscode.l10n.t('Open Documentation');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t(
      'No graph was found in {0}. Export a compiled LangGraph graph from one of its files, then try again.',
      name,
    ),
    example,
    documentation,
  );
  if (chosen === example) await vscode.commands.executeCommand('agentHarbor.createProject');
  if (chosen === documentation) await vscode.commands.executeCommand('agentHarbor.openDocumentation');
}
