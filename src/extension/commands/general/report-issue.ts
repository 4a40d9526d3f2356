import * as vscode from 'vscode';
import type { Command } from '../command.ts';

/** Opens VS Code's issue reporter for this extension. */
export const reportIssue: Command<{ readonly extensionId: string }> = async ({ extensionId }) => {
  await vscode.commands.executeCommand('workbench.action.openIssueReporter', { extensionId });
};
