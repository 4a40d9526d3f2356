import * as vscode from 'vscode';
import type { AssistantAddresses } from '../../assistants/assistant-address.ts';
import { AssistantElement, VersionElement } from '../../views/assistants.ts';
import { rowCommand } from '../command.ts';

/** Opens an assistant as a JSON document; saving it creates a new version, which becomes active. */
export const editAssistant = rowCommand(
  [AssistantElement, VersionElement],
  async ({ assistantAddresses }: { readonly assistantAddresses: AssistantAddresses }, row) => {
    const element = row instanceof VersionElement ? row.parent : row;
    const { assistant_id, graph_id } = element.assistant;
    const address = { assistantId: assistant_id, graphId: graph_id, deployment: element.deployment };
    const uri = await assistantAddresses.makeUri(address, element.label);
    await vscode.window.showTextDocument(uri, { preview: false });
  },
);
