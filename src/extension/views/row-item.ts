import * as vscode from 'vscode';
import type { Row } from './rows.ts';

interface Shown {
  readonly id: string;
  getTreeItem(): vscode.TreeItem;
}

/** The item of a row for VS Code. */
export function itemOf(row: Row<Shown>): vscode.TreeItem {
  const item = row.element.getTreeItem();
  item.id = row.id;
  // Isolates right-to-left text from the text after it.
  if (typeof item.label === 'string' && /\p{Script=Arabic}|\p{Script=Hebrew}/u.test(item.label))
    item.label = `\u2068${item.label}\u2069`;
  // Passes the row, not the element, so that the command gets the newest element.
  const args = item.command?.arguments?.map((one) => (one === row.element ? row : one));
  if (item.command !== undefined && args !== undefined) item.command = { ...item.command, arguments: args };
  return item;
}

/** The appearance of a row as a text: rows with equal texts look the same. */
export function describeItem(item: vscode.TreeItem): string {
  const { label, description, iconPath, contextValue, collapsibleState, tooltip, command } = item;
  const { accessibilityInformation } = item;
  return JSON.stringify([
    label,
    description,
    iconPath,
    contextValue,
    collapsibleState,
    accessibilityInformation,
    command,
    tooltip instanceof vscode.MarkdownString ? tooltip.value : tooltip,
  ]);
}
