import * as vscode from 'vscode';
import { ASSISTANT_SCHEME } from '../assistants/assistant-address.ts';
import { offerToSave } from '../assistants/save-lens.ts';
import { EXAMPLE_SCHEME } from '../datasets/example-address.ts';
import { registerFileLens } from '../datasets/file-lens.ts';
import { WindowDrafts } from '../documents/draft-store.ts';
import { EditableDocuments } from '../documents/editable-documents.ts';
import { DOCUMENT_SCHEME } from '../documents/read-only-documents.ts';
import { NODE_RESULT_ONLY_SCHEME, NODE_RESULT_SCHEME, NODE_SCHEME } from '../nodes/node-address.ts';
import { STATE_SCHEME } from '../states/state-address.ts';
import { once } from './once.ts';
import type { Services } from './services.ts';

/** Documents that are saved to a server, by their schemes. */
export type EditableSchemes = ReadonlyMap<string, EditableDocuments>;

/**
 * Registers the documents of assistants, states, examples and nodes, and the read-only ones.
 * @returns the documents that are saved to a server, by their schemes
 */
export function offerDocuments(
  { subscriptions, workspaceState }: vscode.ExtensionContext,
  services: Services,
): EditableSchemes {
  const drafts = new WindowDrafts(workspaceState);
  const { connections, deployments, documents, assistantAddresses } = services;
  offerNodeDocuments(subscriptions, services);
  const assistantFiles = once(async () => {
    const { AssistantFiles } = await import('../assistants/assistant-files.ts');
    return new AssistantFiles({ addresses: assistantAddresses, deployments, documents, drafts });
  });
  const assistants = new EditableDocuments({
    scheme: ASSISTANT_SCHEME,
    files: assistantFiles,
    draftKept: vscode.l10n.t('Draft. Save to update the assistant.'),
    hasChanged: vscode.l10n.t('The assistant has changed since this draft was started'),
  });
  const states = new EditableDocuments({
    scheme: STATE_SCHEME,
    files: once(async () => {
      const { StateFiles } = await import('../states/state-files.ts');
      const files = new StateFiles({ deployments, documents, drafts });
      subscriptions.push(files);
      return files;
    }),
    draftKept: vscode.l10n.t('Draft. Save to update the state.'),
    hasChanged: vscode.l10n.t('The thread has changed since this draft was started'),
  });
  const exampleFiles = once(async () => {
    const { ExampleFiles } = await import('../datasets/example-files.ts');
    return new ExampleFiles(connections, drafts);
  });
  const examples = new EditableDocuments({
    scheme: EXAMPLE_SCHEME,
    files: exampleFiles,
    draftKept: vscode.l10n.t('Draft. Save to update the example.'),
    hasChanged: vscode.l10n.t('The example has changed since this draft was started'),
  });
  subscriptions.push(
    assistants,
    offerToSave(assistantFiles),
    states,
    examples,
    registerFileLens(exampleFiles),
    connections.onDidAnnounce(({ changes }) => {
      if (changes.some(({ resource }) => resource === 'assistant')) assistants.noteChange();
      if (changes.some(({ resource }) => resource === 'thread')) states.noteChange();
      if (changes.some(({ resource }) => resource === 'example')) examples.noteChange();
    }),
    vscode.workspace.registerTextDocumentContentProvider(DOCUMENT_SCHEME, documents),
  );
  return new Map([
    [ASSISTANT_SCHEME, assistants],
    [STATE_SCHEME, states],
    [EXAMPLE_SCHEME, examples],
  ]);
}

/**
 * Registers the documents of nodes that are run alone: their inputs, which can be saved, and their results.
 */
function offerNodeDocuments(subscriptions: vscode.Disposable[], { nodes }: Services): void {
  const inputs = new EditableDocuments({
    scheme: NODE_SCHEME,
    files: once(async () => {
      const { NodeInputFiles } = await import('../nodes/node-input-files.ts');
      return new NodeInputFiles(await nodes());
    }),
    draftKept: vscode.l10n.t('Input saved. Run the node to use it.'),
  });
  const results = {
    provideTextDocumentContent: async (uri: vscode.Uri) => (await nodes()).provideTextDocumentContent(uri),
  };
  const runLens = {
    provideCodeLenses: () => [
      new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
        title: vscode.l10n.t('$(play) Run This Node'),
        command: 'agentHarbor.runNode',
      }),
    ],
  };
  subscriptions.push(
    inputs,
    vscode.workspace.registerTextDocumentContentProvider(NODE_RESULT_SCHEME, results),
    vscode.workspace.registerTextDocumentContentProvider(NODE_RESULT_ONLY_SCHEME, results),
    vscode.languages.registerCodeLensProvider({ scheme: NODE_SCHEME }, runLens),
  );
}
