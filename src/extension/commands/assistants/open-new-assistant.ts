import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { AssistantAddresses } from '../../assistants/assistant-address.ts';
import { assistantText } from '../../assistants/assistant-document.ts';
import type { OpenDeployment } from '../../deployments/open-deployment.ts';
import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';

export interface NewAssistantParts {
  readonly assistantAddresses: AssistantAddresses;
  readonly documents: ReadOnlyDocuments;
}

/** Asks for a graph, unless one is given, and for a name, and opens the document of a new assistant. */
export async function openNewAssistant(
  parts: NewAssistantParts,
  opened: OpenDeployment,
  graph: string | undefined,
): Promise<void> {
  const graphId = graph ?? (await pickGraph(opened));
  if (graphId === undefined) return;
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('New Assistant for {0}', graphId),
    prompt: vscode.l10n.t('Assistant name'),
    validateInput: (value) => (value.trim() === '' ? vscode.l10n.t('Enter a name.') : undefined),
  });
  if (name === undefined) return;
  const address = { assistantId: randomUUID(), graphId, deployment: opened.key };
  const uri = await parts.assistantAddresses.makeUri(address, name.trim());
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  const fields = { name: name.trim(), description: null, context: {}, config: {}, metadata: {} };
  const text = assistantText(fields, parts.documents.schemaUrl(opened, graphId));
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), text));
  // Puts the cursor into the context, because that is where assistants differ from the graph's default.
  const offset = document.getText().indexOf('"context": {') + '"context": {'.length;
  const inside = document.positionAt(offset);
  editor.selection = new vscode.Selection(inside, inside);
}

async function pickGraph(opened: OpenDeployment): Promise<string | undefined> {
  // Every graph has a default assistant.
  const found = await opened.client.assistants.search({ body: { limit: 1000, select: ['graph_id'] } });
  const graphs = [...new Set(found.flatMap(({ graph_id }) => graph_id ?? []))].toSorted();
  if (graphs.length === 0) throw new Error(vscode.l10n.t('This deployment has no graphs to run.'));
  if (graphs.length === 1) return graphs[0];
  return vscode.window.showQuickPick(graphs, {
    title: vscode.l10n.t('Select a graph for the new assistant'),
  });
}
