import * as vscode from 'vscode';
import { ASSISTANT_SCHEME } from '../assistants/assistant-address.ts';
import { DOCUMENT_SCHEME } from '../documents.ts';
import { EditableDocuments } from '../editable-documents.ts';
import { exampleScheme } from '../examples/example-address.ts';
import { STATE_SCHEME } from '../states/state-address.ts';
import { once } from './once.ts';
import type { Services } from './services.ts';

/** Offers VS Code the documents of assistants, states and examples, which can be saved, and those that are only read. */
export function offerDocuments({ subscriptions }: vscode.ExtensionContext, services: Services): void {
  const { connections, deployments, documents, assistantAddresses } = services;
  const assistants = new EditableDocuments({
    scheme: ASSISTANT_SCHEME,
    files: once(async () => {
      const { AssistantFiles } = await import('../assistants/assistant-files.ts');
      return new AssistantFiles({ addresses: assistantAddresses, deployments, documents });
    }),
    draftKept: vscode.l10n.t('Kept as a draft. Save the document to update the assistant.'),
  });
  const states = new EditableDocuments({
    scheme: STATE_SCHEME,
    files: once(async () => {
      const { StateFiles } = await import('../states/state-files.ts');
      const files = new StateFiles({ deployments, documents });
      subscriptions.push(files);
      return files;
    }),
    draftKept: vscode.l10n.t('Kept as a draft. Save the document to update the state.'),
  });
  const examples = new EditableDocuments({
    scheme: exampleScheme,
    files: once(async () => {
      const { ExampleFiles } = await import('../examples/example-files.ts');
      return new ExampleFiles(connections);
    }),
    draftKept: vscode.l10n.t('Kept as a draft. Save the document to update the example.'),
  });
  subscriptions.push(
    assistants,
    states,
    examples,
    connections.local.onDidChange((changes) => {
      if (changes.some(({ resource }) => resource === 'assistant')) assistants.changed();
      if (changes.some(({ resource }) => resource === 'thread')) states.changed();
      if (changes.some(({ resource }) => resource === 'example')) examples.changed();
    }),
    vscode.workspace.registerTextDocumentContentProvider(DOCUMENT_SCHEME, documents),
  );
}
