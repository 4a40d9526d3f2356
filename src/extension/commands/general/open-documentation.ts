import * as vscode from 'vscode';
import type { Command } from '../command.ts';

/** Shows the page of the extension, with its README. */
export const openDocumentation: Command<{ readonly extensionId: string }> = async ({ extensionId }) => {
  await vscode.commands.executeCommand('extension.open', extensionId);
};
