import * as vscode from 'vscode';
import { AssistantElement, VersionElement } from '../views/assistants.ts';
import type { Command } from './command.ts';

/** Opens an assistant as a JSON document; saving it makes a new version, the active one. */
export const editAssistant: Command = async ({ assistantAddresses }, given) => {
  const element = given instanceof VersionElement ? given.parent : given;
  if (!(element instanceof AssistantElement)) return;
  const { assistant_id, graph_id } = element.assistant;
  const address = { assistantId: assistant_id, graphId: graph_id, deployment: element.deployment };
  const uri = await assistantAddresses.uriOf(address, element.label);
  await vscode.window.showTextDocument(uri, { preview: false });
};
