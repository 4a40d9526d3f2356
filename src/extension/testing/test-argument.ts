import type * as vscode from 'vscode';

/** The test that a command was called on, by its row in the Testing view or one of its messages. */
export function testItemOf(argument: unknown): vscode.TestItem | undefined {
  if (isItem(argument)) return argument;
  if (typeof argument !== 'object' || argument === null || !('test' in argument)) return undefined;
  return isItem(argument.test) ? argument.test : undefined;
}

function isItem(value: unknown): value is vscode.TestItem {
  return typeof value === 'object' && value !== null && 'label' in value && 'children' in value;
}
